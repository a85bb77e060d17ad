// Before anything is painted, so that nothing flashes.
const theme = localStorage.getItem("supersede:theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
