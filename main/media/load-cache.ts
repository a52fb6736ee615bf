import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { CacheFetching } from './cache-fetching';
import type { Disk } from './disk';
import type { DiskTrouble } from './disk-trouble';
import { diskCode, words } from './media-problem';
import type { PlayableFiles } from './playable-files';
import type { ProblemList } from './problem-list';
import { readCacheFolder } from './stored-media';
import { asideMs } from './strikes';

/** Takes up what earlier runs stored; answers whether the folder can be used. */
export async function loadCache(
  { disk, directory, clock, log }: { disk: Disk; directory: string; clock: Clock; log: Log },
  { stored, aside }: Pick<PlayableFiles, 'stored' | 'aside'>,
  { attempts, unfinished }: Pick<CacheFetching, 'attempts' | 'unfinished'>,
  problems: ProblemList,
  trouble: DiskTrouble,
): Promise<boolean> {
  try {
    const contents = await readCacheFolder(disk, directory, log);
    for (const file of contents.files) {
      stored.add(file);
      attempts.answered(file.url, file.checkedAt);
    }
    for (const part of contents.parts) unfinished.keep(part);
    aside.load(contents.strikes);
    for (const [url, strike] of contents.strikes) {
      const ms = asideMs(strike, clock.now());
      if (ms === 0) continue;
      aside.watch(url);
      const detail = `set aside after ${strike.count} strikes, for ${Math.ceil(ms / 60_000)} minutes or until it changes`;
      problems.note(url, 'corrupt', detail, strike.lastAt);
    }
    trouble.over();
    return true;
  } catch (fault) {
    trouble.unusable(diskCode(fault), words(fault));
    log.error('the media folder cannot be used', { folder: directory, fault: words(fault) });
    return false;
  }
}
