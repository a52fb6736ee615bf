import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import type { Settings } from '../settings/settings';
import type { Problem } from '../status/status';
import { readJsonIfThere, writeWholeFile } from '../whole-file';
import type { Records } from './records-client';
import type { SnapshotFiles } from './snapshot';

const Names = z.object({ version: z.literal(1), names: z.record(plain.text, plain.text) });

/**
 * Returns the name of the books of these settings (rule 26), which rows, files and exports carry. It is their identity,
 * except for books that an earlier version began: those keep their former name, which depended on more settings. A file
 * notes which identity has which name, because the former name cannot be derived once those settings change. If the
 * file notes nothing and no books have the former name or the identity, the only books of the service's host are taken.
 * Never rejects. `problem`: new books were begun although existing ones may belong to these settings; null: no problem.
 */
export async function bookName(
  settings: Settings,
  parts: {
    /** `book-names.json` of the data folder. */
    readonly file: string;
    readonly files: Pick<SnapshotFiles, 'read'>;
    readonly records: Records;
    readonly log: Log;
  },
) {
  const { file, log } = parts;
  const identity = environmentKey(settings);
  let isAllRead = true;
  const unread = (error: unknown) => {
    log.error('the name of the books cannot be read; the next start tries again', { error });
    isAllRead = false;
    return null;
  };
  const names = (await readJsonIfThere(file, Names).catch(unread))?.names ?? {};
  const noted = names[identity];
  if (noted !== undefined) return { name: noted, problem: null };
  const books = await parts.records.run('bookNames', {}).catch((error: unknown) => {
    log.error('the list of books cannot be read from the database; the name from the settings is used', {
      error,
    });
    return null;
  });
  const former = formerEnvironmentKey(settings);
  const snapshot = await parts.files.read(former).catch(unread);
  const isFormerKept = snapshot !== null || books?.includes(former) === true;
  if (books === null) return { name: isFormerKept ? former : identity, problem: null };
  // Once the file has entries, books without an entry belong to other settings.
  const isKnown = isFormerKept || books.includes(identity) || Object.keys(names).length > 0;
  const unclaimed = isKnown ? [] : books.filter((each) => isOfHost(each, identity));
  const only = unclaimed.length === 1 ? unclaimed[0] : undefined;
  const name = isFormerKept ? former : (only ?? identity);
  const problem = unclaimed.length > 1 ? startedAnew(unclaimed.length) : null;
  if (only !== undefined)
    log.warn('the only existing books of this service are used for these settings', { name });
  if (problem) log.warn(problem.message, { unclaimed });
  if (!isAllRead) return { name, problem };
  await writeWholeFile(
    file,
    `${JSON.stringify({ version: 1, names: { ...names, [identity]: name } })}\n`,
    0o600,
  ).catch((error: unknown) => log.error('the name of the books could not be stored', { error }));
  return { name, problem };
}

/** Names are `HOST-HEX`. */
const isOfHost = (name: string, identity: string) =>
  name.replace(/-[^-]*$/, '') === identity.replace(/-[^-]*$/, '');

const startedAnew = (candidates: number): Problem => ({
  code: 'books-started-anew',
  message: `${candidates} books of earlier settings could belong to these settings, so new books were begun. Earlier plays do not count against caps.`,
  advice:
    'If the service, the project or the player is new, nothing needs to be done; this is reported until the player is restarted. Otherwise restore book-names.json in the data folder from a backup and restart.',
});

/**
 * The identity of the books these settings keep (rule 26): it changes with the
 * service's `baseUrl`, the project or the player, and with nothing else. It reads
 * `HOST-HEX`, in the letters `a-z0-9.-`, so that it can name files and rows.
 */
export function environmentKey(settings: Settings): string {
  const { baseUrl, projectId } = settings.service;
  return keyOf(baseUrl, [baseUrl, projectId, settings.ads.params.playerid ?? null]);
}

/** The name that versions up to 0.1 gave to the books of these settings; it changed with every service address. */
function formerEnvironmentKey(settings: Settings): string {
  const { baseUrl, authUrl, nativeUrl, projectId } = settings.service;
  return keyOf(baseUrl, [baseUrl, authUrl, nativeUrl, projectId, settings.ads.params.playerid ?? null]);
}

function keyOf(baseUrl: string, identity: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  const host = new URL(baseUrl).hostname.replace(/[^a-z0-9.-]/g, '').slice(0, 40);
  return `${host}-${digest.slice(0, 16)}`;
}
