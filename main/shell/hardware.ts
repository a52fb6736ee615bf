import { cpus, hostname, release, totalmem, type } from 'node:os';
import { screen } from 'electron';

/** The computer and its displays, for the fleet's inventory. */
export const hardware = () => ({
  hostName: hostname(),
  os: `${type()} ${release()}`,
  cpu: cpus()[0]?.model ?? '',
  cores: cpus().length,
  memoryBytes: totalmem(),
  displays: screen.getAllDisplays().map(({ size, scaleFactor, rotation }) => ({
    width: Math.round(size.width * scaleFactor),
    height: Math.round(size.height * scaleFactor),
    rotation,
  })),
});
