import { contextBridge, ipcRenderer } from 'electron';
import { OVERLAY_CHANNEL, STAGE_CHANNEL } from '../shared/channels';
import type { RpcPort } from '../shared/rpc';

// Messages are not validated here: each receiver validates them against the contract.
const portOf = (channel: string): RpcPort => ({
  send: (message) => ipcRenderer.send(channel, message),
  onMessage(listener) {
    ipcRenderer.removeAllListeners(channel);
    ipcRenderer.on(channel, (_event, message: unknown) => listener(message));
  },
});

contextBridge.exposeInMainWorld('endcap', portOf(STAGE_CHANNEL));
contextBridge.exposeInMainWorld('endcapAdmin', portOf(OVERLAY_CHANNEL));
