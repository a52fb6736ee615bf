import { useState } from 'react';
import type { LogLevel } from '../../../shared/admin';
import { useAnswer, useModel, useRested, useTools } from '../overlay-context';
import { Chip, Choice, Empty, Refused, Skeleton, type Tone } from '../parts/pieces';
import { SearchField } from '../parts/text-field';
import { momentText } from '../wording';

const LOOK_AGAIN_MS = 2_000;
const LIMIT = 300;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const TONES: Readonly<Record<LogLevel, Tone>> = { debug: 'quiet', info: 'plain', warn: 'warn', error: 'bad' };

export function LogPage() {
  const { strings } = useTools();
  const now = useModel(({ home }) => home?.clock.now ?? 0);
  const [level, setLevel] = useState<LogLevel>('info');
  const [search, setSearch] = useState('');
  const rested = useRested(search.trim(), 200);
  const { output, refusal, again, fresh } = useAnswer(
    'log',
    { level, search: rested, limit: LIMIT },
    LOOK_AGAIN_MS,
  );
  return (
    <div className="a-listing">
      <SearchField label={strings.searchLog} value={search} onChange={setSearch} />
      <Choice
        label={strings.level}
        value={level}
        options={LEVELS.map((value) => ({ value, words: strings.levels[value] }))}
        onChoose={setLevel}
      />
      {refusal !== null && output === null ? (
        <Refused code={refusal.code} message={refusal.message} onRetry={again} />
      ) : output === null ? (
        <Skeleton lines={10} />
      ) : output.lines.length === 0 ? (
        <Empty icon="log">{strings.noLines}</Empty>
      ) : (
        <ul className="a-log" data-fresh={fresh} tabIndex={0} aria-label={strings.pages.log}>
          {output.lines.map(({ at, level: of, text }, index) => (
            <li key={index} className="a-log-line" data-level={of}>
              <span className="a-log-time">{at === null ? '' : timeOf(at, now, strings)}</span>
              <Chip tone={TONES[of]}>{strings.levelNames[of]}</Chip>
              <span className="a-log-text" lang="en">
                {text}
              </span>
            </li>
          ))}
          {output.cut && <li className="a-quiet a-log-line">{strings.logCut}</li>}
        </ul>
      )}
    </div>
  );
}

/** To the second: in a log the order within a minute matters. */
function timeOf(at: number, now: number, strings: Parameters<typeof momentText>[2]): string {
  const seconds = String(new Date(at).getSeconds()).padStart(2, '0');
  return `${momentText(at, now, strings)}:${seconds}`;
}
