/** Keys that could let a person leave a kiosk, in the notation of xdotool. */
export const ESCAPE_KEYS: readonly string[] = [
  ...['F1', 'F3', 'F5', 'F6', 'F7', 'F10', 'F11', 'F12', 'ctrl+n', 'ctrl+t', 'ctrl+w', 'ctrl+q', 'ctrl+r'],
  ...['ctrl+shift+r', 'ctrl+p', 'ctrl+s', 'ctrl+o', 'ctrl+u', 'ctrl+shift+i', 'ctrl+shift+j', 'ctrl+shift+c'],
  ...['ctrl+plus', 'ctrl+minus', 'ctrl+0', 'ctrl+Tab', 'ctrl+F4', 'ctrl+shift+t', 'ctrl+shift+n', 'ctrl+l'],
  ...['alt+F4', 'alt+Left', 'alt+Right', 'alt+Home', 'alt+space', 'alt+Tab', 'alt+F10', 'super', 'super+d'],
  ...['Escape', 'Menu', 'Print', 'BackSpace', 'XF86Back', 'XF86HomePage', 'XF86Mail', 'XF86Search'],
];
