import { readFile } from 'node:fs/promises';
import type { Log } from '../../shared/log';
import { z } from '../../shared/zod';
import { writeWholeFile } from '../disk/whole-file';
import { environmentKey, formerEnvironmentKey } from '../settings/environment-key';
import type { Settings } from '../settings/settings';
import type { Records } from './records-client';
import type { SnapshotFiles } from './snapshot';

const Names = z.object({ version: z.literal(1), names: z.record(z.string(), z.string()) });

export interface BookNameParts {
  /** `book-names.json` of the data folder. */
  readonly file: string;
  readonly files: Pick<SnapshotFiles, 'read'>;
  readonly records: Records;
  readonly log: Log;
}

/**
 * The name of the books these settings keep (rule 26), which rows, files and exports bear. It is
 * their identity, but for books that an earlier version began: those keep the name it gave them,
 * which a change of other settings would have changed. Which identity has which name is noted in
 * a file, because the former name cannot be told from later settings. Never rejects.
 */
export async function bookName(settings: Settings, parts: BookNameParts): Promise<string> {
  const { file, log } = parts;
  const identity = environmentKey(settings);
  const names = await readNames(file);
  const noted = names[identity];
  if (noted !== undefined) return noted;
  const former = formerEnvironmentKey(settings);
  const found = await findBooks(former, parts);
  const name = found === 'yes' ? former : identity;
  if (found === 'unknown') return name;
  await writeWholeFile(
    file,
    `${JSON.stringify({ version: 1, names: { ...names, [identity]: name } })}\n`,
    0o600,
  ).catch((fault: unknown) => log.error('the name of the books could not be noted', { fault }));
  return name;
}

/** `unknown`: the database does not answer, and the snapshot is of other books. */
async function findBooks(
  name: string,
  { files, records, log }: BookNameParts,
): Promise<'yes' | 'no' | 'unknown'> {
  if ((await files.read(name)) !== null) return 'yes';
  try {
    return (await records.run('hasBooks', { environment: name })) ? 'yes' : 'no';
  } catch (fault) {
    log.error('whether an earlier version kept books could not be found out', { fault });
    return 'unknown';
  }
}

async function readNames(file: string): Promise<Readonly<Record<string, string>>> {
  try {
    return Names.parse(JSON.parse(await readFile(file, 'utf8'))).names;
  } catch {
    return {};
  }
}
