// Runs before the first paint, so that a dark window never flashes white. The settings store keeps the value current.
(function () {
  var wanted = "system";
  try {
    wanted = localStorage.getItem("vidimus.theme") || "system";
  } catch (_) {
    // Storage may be switched off; the system's theme is then right.
  }
  var dark = wanted === "dark" || (wanted === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
