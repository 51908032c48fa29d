//! How the system's web view is set up, where it can be.

/// What WebKitGTK is told, in its environment, before it starts. Each is left as it is if it was chosen.
///
/// An option that a later WebKitGTK no longer knows is named on its error output, and changes nothing.
#[cfg(target_os = "linux")]
const SETTINGS: [(&str, &str); 3] = [
    // The renderer that needs less memory, and works with every driver.
    ("WEBKIT_DISABLE_DMABUF_RENDERER", "1"),
    // What is garbage in the page is collected as on a computer with this much memory, and not let gather as far as a
    // large one allows. With less a key in a note of 1 MB waits for it: with 128 MB twice as long.
    ("JSC_forceRAMSize", "536870912"),
    // The last of four compilers pays in long calculations, which the page has none of; it takes 10 MB and more to run.
    ("JSC_useFTLJIT", "false"),
];

/// What is said besides where there is no graphics card: GTK and WebKit would load a renderer that draws in software, which
/// takes 18 MB and more, and WebKit draws in software without it, too.
#[cfg(target_os = "linux")]
const WITHOUT_CARD: [(&str, &str); 2] = [("GDK_GL", "disable"), ("WEBKIT_WEB_RENDER_DEVICE_FILE", "/dev/null")];

/// Sets the web view up. To be called before there is another thread.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    for (name, value) in SETTINGS.iter().chain(if has_card() { &[][..] } else { &WITHOUT_CARD }) {
        if std::env::var_os(name).is_none() {
            #[expect(unsafe_code, reason = "no thread has been started yet that could read the environment")]
            unsafe {
                std::env::set_var(name, value);
            }
        }
    }
}

/// Tells whether the kernel has a graphics card that programs may draw with.
#[cfg(target_os = "linux")]
fn has_card() -> bool {
    let is_card = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b"renderD");
    let devices = std::path::Path::new("/dev/dri").read_dir();
    devices.is_ok_and(|devices| devices.flatten().any(|device| is_card(&device.file_name())))
}
