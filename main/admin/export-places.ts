import { join } from 'node:path';
import type { Schedule } from '../schedule';
import { beforeDeadline, startDeadline } from '../service/deadline';
import { type DriveFiles, mountedDrives } from './mounted-drives';
import type { ExportPlace } from './write-plays';

/** How long a drive may take to report its free space, ms. */
const DRIVE_ANSWER_MS = 1_000;

/** Where exports can go now: the drives that are plugged in and, last, the data folder's `exports`. */
export function exportPlaces(
  driveFiles: DriveFiles,
  schedule: Schedule,
  dataDirectory: string,
): () => Promise<ExportPlace[]> {
  /** A broken drive may never answer; then it is listed without its free space. */
  const patient: DriveFiles = {
    ...driveFiles,
    freeBytes: (path) =>
      beforeDeadline(startDeadline(DRIVE_ANSWER_MS, schedule), () => driveFiles.freeBytes(path)),
  };
  const folder = join(dataDirectory, 'exports');
  return async () => {
    const drives = await mountedDrives(patient);
    return [
      ...drives.map(({ mountPoint, label, freeBytes }) => ({
        id: `usb:${mountPoint}`,
        kind: 'usb' as const,
        label,
        freeBytes,
        folder: mountPoint,
      })),
      {
        id: 'folder',
        kind: 'folder' as const,
        label: folder,
        freeBytes: await patient.freeBytes(dataDirectory).catch(() => null),
        folder,
      },
    ];
  };
}
