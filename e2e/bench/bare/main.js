// The program that Endcap is compared with: a window that shows a page, and nothing else. Arguments: the page beside
// this file, then the files that it shows.
const { app, BrowserWindow, screen } = require('electron');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const [page = '', ...files] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
app.whenReady().then(() => {
  const window = new BrowserWindow({
    ...screen.getPrimaryDisplay().bounds,
    frame: false,
    kiosk: true,
    backgroundColor: '#000000',
  });
  window.setBounds(screen.getPrimaryDisplay().bounds);
  const query = new URLSearchParams(files.map((file) => ['file', pathToFileURL(file).href]));
  window.loadFile(join(__dirname, page), { search: query.toString() });
});
