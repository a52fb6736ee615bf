import { app } from 'electron';
import { clearSession } from '../main/shell/guests/clear-session';

// The program under test of cleared-session.e2e.ts: clears sessions when the test asks for it.
app.commandLine.appendSwitch('disable-background-networking');
app.commandLine.appendSwitch('disable-component-update');
app.commandLine.appendSwitch('host-resolver-rules', 'MAP *.example 127.0.0.1');
Object.assign(globalThis, { clearSession });
