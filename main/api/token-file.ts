import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Log } from '../../shared/log';
import { nullIfMissing } from '../describe-error';
import { writeWholeFile } from '../whole-file';

/** A token is 32 to 256 visible ASCII characters: 43 when made here, or what the operator put there. */
const TOKEN = /^[\x21-\x7e]{32,256}$/;
const MAX_TOKEN_FILE_BYTES = 4096;

/**
 * Reads the token in `path`, which is kept across restarts. If the file is missing or holds no valid token
 * (half-written), a new one is generated and stored with mode 0600. A file that others can access, or that
 * the group can write, gets mode 0600. Group read alone (0640) stays: operators use it for a sensor's user.
 *
 * @throws an error of the system, or one that says what is wrong with the file
 */
export async function tokenIn(path: string, log: Log): Promise<string> {
  const known = await knownToken(path, log);
  if (known !== null) return known;
  const token = randomBytes(32).toString('base64url');
  await writeWholeFile(path, `${token}\n`, 0o600);
  log.info('a new token for the local API was made', { file: path });
  return token;
}

async function knownToken(path: string, log: Log): Promise<string | null> {
  // O_NOFOLLOW and O_NONBLOCK: the path must not be a link, and a pipe there must not block.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(nullIfMissing);
  if (file === null) return null;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error('expected a regular file.');
    const token = stat.size <= MAX_TOKEN_FILE_BYTES ? (await file.readFile('utf8')).trim() : '';
    if (!TOKEN.test(token)) return null;
    if (process.platform !== 'win32' && (stat.mode & 0o037) !== 0) {
      // Fails for a file of another owner; the token is used all the same.
      await file.chmod(0o600).catch(() => undefined);
      log.warn('the token file was open to others', { file: path });
    }
    return token;
  } finally {
    await file.close();
  }
}
