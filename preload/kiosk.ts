import { contextBridge, ipcRenderer } from 'electron';
import {
  GUEST_COMMAND,
  LINK_COMMAND,
  LINK_EVENT,
  OVERLAY_CHANNEL,
  STAGE_COMMAND,
  STAGE_EVENT,
} from '../shared/channels';
import type { RpcPort } from '../shared/rpc';
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

const portOf = (channel: string): RpcPort => ({
  send: (message) => ipcRenderer.send(channel, message),
  onMessage(listener) {
    ipcRenderer.removeAllListeners(channel);
    ipcRenderer.on(channel, (_event, message: unknown) => listener(message));
  },
});

contextBridge.exposeInMainWorld('endcapAdmin', portOf(OVERLAY_CHANNEL));
