import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../describe-error';
import { writeWholeFile } from '../whole-file';

/** A token is 32 to 256 visible ASCII characters: 43 when made here, or what the operator put there. */
const TOKEN = /^[\x21-\x7e]{32,256}$/;
const MAX_TOKEN_FILE_BYTES = 4096;

/** `made`: it is new. `exposed`: others could read it when it was found. */
export type TokenReading =
  | { readonly ok: true; readonly token: string; readonly made: boolean; readonly exposed: boolean }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the token in `path`, which is kept across restarts. If the file is missing or holds no valid token
 * (half-written), a new one is generated and stored with mode 0600. A file that others can access, or that
 * the group can write, gets mode 0600. Group read alone (0640) stays: operators use it for a sensor's user.
 */
export async function tokenIn(path: string): Promise<TokenReading> {
  let file: FileHandle | null = null;
  try {
    // O_NOFOLLOW and O_NONBLOCK: the path must not be a link, and a pipe there must not block.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    file = await open(path, flags);
    const stat = await file.stat();
    if (!stat.isFile()) return { ok: false, message: `${path}: expected a regular file.` };
    if (stat.size <= MAX_TOKEN_FILE_BYTES) {
      const token = (await file.readFile('utf8')).trim();
      if (TOKEN.test(token)) {
        const exposed = process.platform !== 'win32' && (stat.mode & 0o037) !== 0;
        // Fails for a file of another owner; the token is used all the same, and the caller warns.
        if (exposed) await file.chmod(0o600).catch(() => undefined);
        return { ok: true, token, made: false, exposed };
      }
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return { ok: false, message: `${path}: ${codeOf(error)}` };
  } finally {
    await file?.close();
  }
  const token = randomBytes(32).toString('base64url');
  try {
    await writeWholeFile(path, `${token}\n`, 0o600);
  } catch (error) {
    return { ok: false, message: `${path}: ${codeOf(error)}` };
  }
  return { ok: true, token, made: true, exposed: false };
}

/** The code of a system error (`EACCES`), without the rest of its message. */
export const codeOf = (error: unknown): string => errorCode(error) ?? 'unknown';
