// A bare window for the gallery; the test gives it the size of a stage, on whatever display there is.
const { app, BrowserWindow } = require('electron');

app.disableHardwareAcceleration();
app.whenReady().then(() => {
  const window = new BrowserWindow({
    width: 1280,
    height: 720,
    frame: false,
    webPreferences: { sandbox: true, contextIsolation: true },
  });
  void window.loadURL(process.argv.at(-1) ?? 'about:blank');
});
