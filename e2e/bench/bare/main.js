// The program that Endcap is compared with: a window that shows a page, and nothing else. Arguments: the page beside
// this file, then the files that it shows. With `--books` the page shows its first file only once a hidden window has
// written to a database durably, because every kiosk that keeps books has to do so.
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
  if (!process.argv.includes('--books')) {
    window.loadFile(join(__dirname, page), { search: query.toString() });
    return;
  }
  const books = new BrowserWindow({ show: false, width: 1, height: 1, paintWhenInitiallyHidden: false });
  const written = new Promise((done) => books.once('page-title-updated', done));
  books.loadFile(join(__dirname, 'books.html'));
  query.append('wait', '');
  const loaded = window.loadFile(join(__dirname, page), { search: query.toString() });
  Promise.all([written, loaded]).then(() => window.webContents.executeJavaScript('show()'));
});
