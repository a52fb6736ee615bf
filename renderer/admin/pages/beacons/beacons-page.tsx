import { useState } from 'react';
import type { BeaconsPage as BeaconsAnswer, BeaconsQuery } from '../../../../shared/admin';
import { both, pageWords, template } from '../../../translations';
import { onlyFresh, useNow, useQuery, useWords } from '../../overlay-context';
import { Chip, Choice, Empty, QueryView, type Tone } from '../../parts/pieces';
import { type Column, Table } from '../../parts/table';
import type { OverlayPage } from '../pages';

const LOOK_AGAIN_MS = 2_000;
const LIMIT = 200;
type Show = BeaconsQuery['show'];
type Row = BeaconsAnswer['rows'][number];

const TONES: Readonly<Record<Row['state'], Tone>> = {
  waiting: 'plain',
  sending: 'plain',
  sent: 'good',
  unknown: 'quiet',
  refused: 'bad',
  expired: 'bad',
};

/** The outbox: waiting, delivered and lost beacons. */
function BeaconsPage() {
  const { strings, words } = useWords(wordsOf);
  const now = useNow();
  const [show, setShow] = useState<Show>('open');
  const answer = useQuery('beacons', { show, limit: LIMIT }, LOOK_AGAIN_MS);
  const timeText = ({ finishedAt, dueAt }: Row) => {
    const isToCome = finishedAt === null && dueAt > now;
    return isToCome ? words.inTime(strings.spanText(dueAt - now)) : strings.agoText(finishedAt ?? dueAt, now);
  };
  const columns: ReadonlyArray<Column<Row>> = [
    {
      head: words.event,
      cell: ({ state, event }) => <Chip tone={TONES[state]}>{event}</Chip>,
      below: ({ eventAt }) => strings.momentText(eventAt, now),
    },
    { kind: 'name', head: words.host, cell: ({ url }) => hostOf(url), below: ({ url }) => pathOf(url) },
    { head: words.attempts, cell: ({ attempts }) => strings.numberText(attempts) },
    { head: show === 'open' ? words.due : words.finished, cell: timeText },
    {
      head: words.lastError,
      cell: ({ lastError }) => (
        <div className="a-break">{lastError === null ? '—' : strings.beaconErrorText(lastError)}</div>
      ),
    },
  ];
  return (
    <>
      <Choice
        label={words.name}
        value={show}
        options={strings.beaconStates}
        counts={{ open: answer.output?.open }}
        onChoose={setShow}
      />
      <p className="a-note">{words.about[show]}</p>
      <QueryView answer={onlyFresh(answer)}>
        {({ rows }) => (
          <Table
            label={strings.beaconStates[show]}
            columns={columns}
            rows={rows}
            empty={<Empty icon="check">{show === 'open' ? words.nothingOpen : words.nothingHere}</Empty>}
          />
        )}
      </QueryView>
    </>
  );
}

const hostOf = (url: string) => /^[a-z]+:\/\/([^/]+)/.exec(url)?.[1] ?? url;
const pathOf = (url: string) => /^[a-z]+:\/\/[^/]+(\/.*)$/.exec(url)?.[1] ?? '';

const wordsOf = pageWords({
  name: both('Beacons', 'Beacons'),
  about: {
    open: both('Waiting for their first or next try.', 'Warten auf den ersten oder nächsten Versuch.'),
    lost: both('Refused or expired.', 'Abgelehnt oder verfallen.'),
    unknown: both('May have arrived; never sent again.', 'Vielleicht angekommen; nie erneut gesendet.'),
    sent: both('Accepted by the server.', 'Vom Server angenommen.'),
  },
  inTime: template('in {span}', 'in {span}'),
  event: both('Event', 'Ereignis'),
  host: both('Goes to', 'Geht an'),
  attempts: both('Tries', 'Versuche'),
  lastError: both('Last error', 'Letzter Fehler'),
  due: both('Due', 'Fällig'),
  finished: both('Ended', 'Beendet'),
  nothingOpen: both('Nothing waits to be delivered.', 'Nichts wartet auf Zustellung.'),
  nothingHere: both('There are none.', 'Es gibt keine.'),
});

export const page: OverlayPage = {
  icon: 'M12 13v7M12 10.5a1 1 0 1 0 0 2 1 1 0 0 0 0-2M8.2 15.2a5.2 5.2 0 1 1 7.6 0M5.6 17.8a8.8 8.8 0 1 1 12.8 0',
  words: wordsOf,
  Page: BeaconsPage,
};
