import { useState } from 'react';
import type { LogLevel } from '../../../../shared/admin';
import { both, pageWords } from '../../../translations';
import { useNow, useQuery, useWords } from '../../overlay-context';
import { Chip, Choice, Empty, QueryView, type Tone } from '../../parts/pieces';
import { SearchField } from '../../parts/text-field';
import type { OverlayPage } from '../pages';

const LOOK_AGAIN_MS = 2_000;
const LIMIT = 300;
const TONES: Readonly<Record<LogLevel, Tone>> = { debug: 'quiet', info: 'plain', warn: 'warn', error: 'bad' };

function LogPage() {
  const { strings, words } = useWords(wordsOf);
  const now = useNow();
  const [level, setLevel] = useState<LogLevel>('info');
  const [search, setSearch] = useState('');
  const question = { level, search: search.trim(), limit: LIMIT };
  /** To the second: in a log the order within a minute matters. */
  const timeOf = (at: number) =>
    `${strings.momentText(at, now)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`;
  return (
    <>
      <SearchField label={words.searchLog} value={search} onChange={setSearch} />
      <Choice label={words.level} value={level} options={words.levels} onChoose={setLevel} />
      {level !== 'error' && <p className="a-note">{words.above}</p>}
      <QueryView answer={useQuery('log', question, LOOK_AGAIN_MS)}>
        {({ lines, cut }) => (
          <>
            {lines.length === 0 && <Empty icon={page.icon}>{words.noLines}</Empty>}
            {lines.length > 0 && (
              <ul className="a-log a-card a-grow a-scroll a-list" tabIndex={0} aria-label={words.name}>
                {lines.map(({ at, level: of, text }, index) => (
                  <li key={index} className="a-log-line">
                    <span className="a-note">{at !== null && timeOf(at)}</span>
                    <Chip tone={TONES[of]}>{words.levels[of]}</Chip>
                    <span className="a-log-text a-break" lang="en">
                      {text}
                    </span>
                  </li>
                ))}
              </ul>
            )}
            {cut && <p className="a-note">{words.logCut}</p>}
          </>
        )}
      </QueryView>
    </>
  );
}

const wordsOf = pageWords({
  name: both('Log', 'Protokoll'),
  levels: both(
    { debug: 'Debug', info: 'Info', warn: 'Warning', error: 'Error' },
    { debug: 'Detail', info: 'Info', warn: 'Warnung', error: 'Fehler' },
  ),
  level: both('Level', 'Stufe'),
  above: both('Shows this level and all that are more severe.', 'Zeigt diese Stufe und alle schwereren.'),
  searchLog: both('Search the log', 'Im Protokoll suchen'),
  noLines: both('No such line.', 'Keine solche Zeile.'),
  logCut: both('Older lines were not searched.', 'Ältere Zeilen wurden nicht durchsucht.'),
});

export const page: OverlayPage = {
  icon: 'M6 4h9l3.5 3.5V20H6zM9 11h6.5M9 14.5h6.5M9 7.5h3',
  words: wordsOf,
  Page: LogPage,
};
