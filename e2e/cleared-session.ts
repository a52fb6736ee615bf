import { app } from 'electron';
import { clearSession } from '../main/shell/clear-session';

// Clears sessions when a test asks for it: the program under test of cleared-session.e2e.ts.
app.commandLine.appendSwitch('disable-background-networking');
app.commandLine.appendSwitch('disable-component-update');
app.commandLine.appendSwitch('host-resolver-rules', 'MAP *.example 127.0.0.1');
Object.assign(globalThis, { clearSession });
