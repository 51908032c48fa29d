//! ZIP archives of a few small files, which are stored as they are. They hold no time, so that the same files make the same
//! archive.

/// A file: its path, its bytes, and its Unix permissions.
pub type Entry<'e> = (&'e str, &'e [u8], u32);

/// The first day that the format knows.
const DATE: u16 = 1 << 5 | 1;
/// UTF-8 names.
const FLAGS: u16 = 1 << 11;
const UNIX: u16 = 3 << 8;
const VERSION: u16 = 20;
const REGULAR_FILE: u32 = 0o100_000;

/// Makes an archive.
///
/// # Panics
/// Never for files that fit into memory many times over: sizes are far below four gigabytes.
pub fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes, mode) in entries {
        let at = size(out.len());
        let mut about = Vec::new();
        for part in [FLAGS, 0, 0, DATE] {
            about.extend(part.to_le_bytes());
        }
        for part in [crc32(bytes), size(bytes.len()), size(bytes.len())] {
            about.extend(part.to_le_bytes());
        }
        about.extend(short(name.len()).to_le_bytes());
        about.extend(0u16.to_le_bytes());

        out.extend(b"PK\x03\x04");
        out.extend(VERSION.to_le_bytes());
        out.extend(&about);
        out.extend(name.as_bytes());
        out.extend(*bytes);

        directory.extend(b"PK\x01\x02");
        directory.extend((UNIX | VERSION).to_le_bytes());
        directory.extend(VERSION.to_le_bytes());
        directory.extend(&about);
        // No comment, the first disk, no text marked as such.
        directory.extend([0; 6]);
        directory.extend(((REGULAR_FILE | mode) << 16).to_le_bytes());
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = size(out.len());
    out.extend(&directory);
    out.extend(b"PK\x05\x06");
    out.extend([0; 4]);
    for part in [short(entries.len()), short(entries.len())] {
        out.extend(part.to_le_bytes());
    }
    for part in [size(directory.len()), at] {
        out.extend(part.to_le_bytes());
    }
    out.extend(0u16.to_le_bytes());
    out
}

fn size(n: usize) -> u32 {
    u32::try_from(n).expect("a bundle is small")
}

fn short(n: usize) -> u16 {
    u16::try_from(n).expect("a bundle has few files, with short names")
}

fn crc32(bytes: &[u8]) -> u32 {
    let turned = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc: u32, byte| (0..8).fold(crc ^ u32::from(*byte), turned))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn n16(bytes: &[u8], at: usize) -> usize {
        usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()))
    }

    fn n32(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    /// Reads an archive as others do: from its end, by the directory.
    pub fn read(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
        let end = archive.len() - 22;
        assert_eq!(&archive[end..end + 4], b"PK\x05\x06");
        let (n, mut at) = (n16(archive, end + 10), n32(archive, end + 16));
        assert_eq!(at + n32(archive, end + 12), end);
        let mut files = Vec::new();
        for _ in 0..n {
            assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
            let (len, n_name, local) = (n32(archive, at + 24), n16(archive, at + 28), n32(archive, at + 42));
            let name = &archive[at + 46..at + 46 + n_name];
            assert_eq!(&archive[local..local + 4], b"PK\x03\x04");
            assert_eq!(&archive[local + 6..local + 30], &archive[at + 8..at + 32], "both say the same");
            let start = local + 30 + n_name;
            assert_eq!(&archive[local + 30..start], name);
            let bytes = archive[start..start + len].to_vec();
            assert_eq!(n32(archive, at + 16), crc32(&bytes) as usize);
            files.push((String::from_utf8(name.to_vec()).unwrap(), bytes));
            at += 46 + n_name;
        }
        files
    }

    #[test]
    fn what_goes_in_comes_out() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let files = [("a.txt", &b"one"[..], 0o644), ("dir/\u{fc}", b"", 0o755)];
        let names = [("a.txt".to_owned(), b"one".to_vec()), ("dir/\u{fc}".to_owned(), Vec::new())];
        assert_eq!(read(&archive(&files)), names);
        assert_eq!(read(&archive(&[])), []);
    }
}
