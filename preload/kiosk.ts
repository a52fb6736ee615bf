import { contextBridge, ipcRenderer } from 'electron';
import { GUEST_COMMAND, STAGE_COMMAND, STAGE_EVENT } from '../shared/channels';
import type { StageBridge } from '../shared/stage';

// Nothing is checked here: each receiver checks what it gets against the contract.
const bridge: StageBridge = {
  send: (event) => ipcRenderer.send(STAGE_EVENT, event),
  onCommand: (listener) => {
    ipcRenderer.on(STAGE_COMMAND, (_event, command: unknown) => listener(command));
  },
  onGuestCommand: (listener) => {
    ipcRenderer.on(GUEST_COMMAND, (_event, command: unknown) => listener(command));
  },
};

contextBridge.exposeInMainWorld('endcap', bridge);
