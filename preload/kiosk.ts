import { contextBridge, ipcRenderer } from 'electron';
import type { AdminBridge } from '../shared/admin';
import {
  ADMIN_CALL,
  ADMIN_MESSAGE,
  GUEST_COMMAND,
  LINK_COMMAND,
  LINK_EVENT,
  STAGE_COMMAND,
  STAGE_EVENT,
} from '../shared/channels';
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
  onLinkCommand: (listener) => {
    ipcRenderer.on(LINK_COMMAND, (_event, command: unknown) => listener(command));
  },
  sendLinkEvent: (event) => ipcRenderer.send(LINK_EVENT, event),
};

contextBridge.exposeInMainWorld('endcap', bridge);

const admin: AdminBridge = {
  call: (message) => ipcRenderer.send(ADMIN_CALL, message),
  onMessage: (listener) => {
    ipcRenderer.on(ADMIN_MESSAGE, (_event, message: unknown) => listener(message));
  },
};

contextBridge.exposeInMainWorld('endcapAdmin', admin);
