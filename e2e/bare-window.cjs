// A window without a kiosk, on an address and over a data folder. Pages of `endcap:` are empty.
const { app, BrowserWindow, protocol } = require('electron');

const [folder = '', address = ''] = process.argv.slice(-2);
app.disableHardwareAcceleration();
app.setPath('userData', folder);
protocol.registerSchemesAsPrivileged([{ scheme: 'endcap', privileges: { standard: true, secure: true } }]);
app.whenReady().then(() => {
  const empty = { headers: { 'content-type': 'text/html' } };
  protocol.handle('endcap', () => new Response('<!doctype html>', empty));
  void new BrowserWindow({ width: 1280, height: 720, frame: false }).loadURL(address);
});
