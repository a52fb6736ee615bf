import { type MediaProblem, quarantineWords } from './media-problem';
import type { Quarantine } from './quarantine-store';
import type { StoredFiles } from './stored-files';
import type { StoredMedia } from './stored-media';

/** Reports when the quarantine of a stored file begins or ends; the file stays on the disk. */
export function watchQuarantined(
  quarantine: Pick<Quarantine, 'msFor' | 'all' | 'onChange'>,
  stored: Pick<StoredFiles, 'byUrl'>,
  mayPlay: (file: StoredMedia) => boolean,
  tell: (url: string, ready: boolean) => void,
) {
  /** URLs that were reported as not playable. */
  const quarantined = new Set<string>();
  function look(): void {
    if (quarantined.size === 0 && quarantine.all().length === 0) return;
    for (const file of stored.byUrl.values()) {
      const { url } = file;
      if (quarantine.msFor(file.sha256) === 0) {
        if (quarantined.delete(url) && mayPlay(file)) tell(url, true);
      } else if (!quarantined.has(url)) {
        quarantined.add(url);
        tell(url, false);
      }
    }
  }

  /** One problem for each needed URL whose stored file is quarantined. */
  function problems(needs: { has(url: string): boolean }): readonly MediaProblem[] {
    const all = new Map(quarantine.all().map((one) => [one.sha256, one]));
    if (all.size === 0) return [];
    return [...stored.byUrl.values()].flatMap(({ url, sha256 }): MediaProblem[] => {
      const one = all.get(sha256);
      if (!one || !needs.has(url)) return [];
      return [{ url, code: 'harmful', detail: quarantineWords(one), at: one.since }];
    });
  }

  quarantine.onChange(look);
  return { look, problems };
}
