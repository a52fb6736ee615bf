import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../describe-error';
import type { Reply } from '../fleet/link/commands';
import { writeWholeFile } from '../whole-file';
import { CommandError, UsageError } from './command-result';
import { type FleetWork, readAddressee, readSignKey } from './fleet-arguments';
import { parseCommand } from './fleet-command-syntax';
import { deliver, replyLines } from './fleet-send';

const MAX_PICTURE_BYTES = 3 * 1024 * 1024;

/** `screenshot --to WHOM --out DIR`: one file for each kiosk. */
export async function takeScreenshots(work: FleetWork): Promise<boolean> {
  const { args, process } = work;
  const { out, width } = args.options;
  const to = readAddressee(args.options.to);
  if (out === undefined) throw new UsageError('screenshot: expected --out DIR for the pictures');
  const words = width === undefined ? ['screenshot'] : ['screenshot', width];
  const readText = async () => '';
  const command = await parseCommand(words, { options: args.options, now: process.now(), readText });
  const key = await readSignKey(args.options);
  await mkdir(out, { recursive: true }).catch((error: unknown) => {
    throw new CommandError(`${out}: the folder cannot be made (${reasonOf(error)})`);
  });
  let areAllPictures = true;
  const order = { to, command, key, isAwaited: true };
  const isDone = await deliver(work, order, async (reply, replies) => {
    if (reply.state !== 'done') return replyLines(reply, replies);
    const picture = pictureOf(reply);
    // A kiosk's name is 16 hex digits; nothing else from the network becomes a path.
    if (picture !== null) return `${await written(join(out, `${reply.kiosk}.jpg`), picture)}\n`;
    areAllPictures = false;
    await process.writeError(
      `fleet: ${reply.kiosk}: expected a JPEG, got something else; nothing was written\n`,
    );
    return '';
  });
  return isDone && areAllPictures;
}

async function written(path: string, picture: Uint8Array): Promise<string> {
  await writeWholeFile(path, picture, 0o644).catch((error: unknown) => {
    throw new CommandError(`${path}: cannot be written (${reasonOf(error)})`);
  });
  return path;
}

/** The picture of an answer, if it is a whole JPEG file. */
function pictureOf({ result }: Reply): Uint8Array | null {
  const data = result?.data ?? '';
  if (result?.mediaType !== 'image/jpeg' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return null;
  const bytes = Buffer.from(data, 'base64');
  const isWhole =
    bytes.length > 4 &&
    bytes.length <= MAX_PICTURE_BYTES &&
    bytes.readUInt16BE(0) === 0xffd8 &&
    bytes.readUInt16BE(bytes.length - 2) === 0xffd9;
  return isWhole ? bytes : null;
}
