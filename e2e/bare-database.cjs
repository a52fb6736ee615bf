// Opens the records page's origin over a data folder, without a kiosk: for what its database holds.
const { app, BrowserWindow, protocol } = require('electron');

app.disableHardwareAcceleration();
app.setPath('userData', process.argv.at(-1) ?? '');
protocol.registerSchemesAsPrivileged([{ scheme: 'endcap', privileges: { standard: true, secure: true } }]);
app.whenReady().then(() => {
  protocol.handle(
    'endcap',
    () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
  );
  void new BrowserWindow({ show: false }).loadURL('endcap://records/');
});
