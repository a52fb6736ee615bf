import { app, BrowserWindow, session } from 'electron';
import { timers } from '../main/schedule';
import { fenceSession, fenceWebRtc } from '../main/shell/guests/fenced-session';

// The program under test of fence.e2e.ts: a window whose pages go through a fence proxy, and one beside it
// whose pages do not.
const [proxyPort, page] = process.argv.slice(-2);
app.commandLine.appendSwitch('disable-background-networking');
app.commandLine.appendSwitch('disable-component-update');
app.on('window-all-closed', () => app.exit(0));

void app.whenReady().then(async () => {
  const fenced = session.fromPartition('fenced');
  await fenceSession(fenced, Number(proxyPort), timers);
  for (const partition of ['fenced', 'unfenced']) {
    const window = new BrowserWindow({ show: false, webPreferences: { partition, sandbox: true } });
    if (partition === 'fenced') fenceWebRtc(window.webContents);
    void window.loadURL(`${page}?${partition}`);
  }
});
