import type { MachineInventory } from '../build-messages';

export const exampleMachine: MachineInventory = {
  hostName: 'kiosk-host',
  addresses: [],
  os: 'Linux',
  cpu: 'x',
  cores: 2,
  memoryBytes: 1,
  displays: [],
  versions: { endcap: '1.2.3', electron: null, chromium: null, node: '24' },
};
