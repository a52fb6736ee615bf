import { useState } from 'react';
import type { BeaconsPage as BeaconsAnswer, BeaconsQuery } from '../../../shared/admin';
import { useAnswer, useModel, useTools } from '../overlay-context';
import { Chip, Empty, Refused, Skeleton, type Tone } from '../parts/pieces';
import { VirtualRows } from '../parts/virtual-rows';
import { agoText, beaconErrorText, momentText, numberText, spanText } from '../wording';

const LOOK_AGAIN_MS = 2_000;
const LIMIT = 200;
const SHOWS = ['open', 'lost', 'unknown', 'sent'] as const;
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

/** What the outbox holds, has delivered and has lost. */
export function BeaconsPage() {
  const { strings } = useTools();
  const [show, setShow] = useState<Show>('open');
  const { output, refusal, again, fresh } = useAnswer('beacons', { show, limit: LIMIT }, LOOK_AGAIN_MS);
  const words: Record<Show, readonly [name: string, about: string]> = {
    open: [strings.open, strings.openAbout],
    lost: [strings.lost, strings.lostAbout],
    unknown: [strings.doubtful, strings.doubtfulAbout],
    sent: [strings.sent, strings.sentAbout],
  };
  const counts: Record<Show, number | null> = {
    open: output?.counts.pending ?? null,
    lost: output === null ? null : output.counts.failed + output.counts.expired,
    unknown: output?.counts.unknown ?? null,
    sent: output?.counts.sent ?? null,
  };
  return (
    <div className="a-listing">
      <div className="a-tiles" role="group" aria-label={strings.pages.beacons}>
        {SHOWS.map((name) => (
          <button
            key={name}
            type="button"
            className="a-tile"
            aria-pressed={name === show}
            data-bad={name === 'lost' && (counts.lost ?? 0) > 0}
            onClick={() => setShow(name)}
          >
            <span className="a-tile-number">
              {counts[name] === null ? '…' : numberText(counts[name], strings)}
            </span>
            <span className="a-tile-name">{words[name][0]}</span>
            <span className="a-tile-about">{words[name][1]}</span>
          </button>
        ))}
      </div>
      {refusal !== null && output === null ? (
        <Refused code={refusal.code} message={refusal.message} onRetry={again} />
      ) : output === null || !fresh ? (
        <Skeleton lines={8} />
      ) : output.rows.length === 0 ? (
        <Empty icon="check">{show === 'open' ? strings.nothingOpen : strings.nothingHere}</Empty>
      ) : (
        <BeaconRows rows={output.rows} ended={show !== 'open'} label={words[show][0]} />
      )}
    </div>
  );
}

function BeaconRows({ rows, ended, label }: { rows: readonly Row[]; ended: boolean; label: string }) {
  const { strings } = useTools();
  const now = useModel(({ home }) => home?.clock.now ?? 0);
  const heads = [
    strings.event,
    strings.host,
    strings.attempts,
    ended ? strings.finished : strings.due,
    strings.lastError,
  ];
  return (
    <VirtualRows
      label={label}
      columns="beacons"
      count={rows.length}
      head={heads.map((words) => (
        <span key={words} role="columnheader" className="a-cell">
          {words}
        </span>
      ))}
      row={(index) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <div key={index} className="a-row" role="row" aria-rowindex={index + 2}>
            <span role="cell" className="a-cell" data-cell="event">
              <Chip tone={TONES[row.state]}>{row.event}</Chip>
              <span className="a-cell-below">{momentText(row.eventAt, now, strings)}</span>
            </span>
            <span role="cell" className="a-cell" data-cell="name">
              <span className="a-cut">{hostOf(row.url)}</span>
              <span className="a-cell-below">{pathOf(row.url)}</span>
            </span>
            <span role="cell" className="a-cell" data-cell="attempts">
              {numberText(row.attempts, strings)}
            </span>
            <span role="cell" className="a-cell" data-cell="time">
              {row.finishedAt !== null
                ? agoText(row.finishedAt, now, strings)
                : row.dueAt > now
                  ? strings.inTime(spanText(row.dueAt - now, strings))
                  : strings.justNow}
            </span>
            <span role="cell" className="a-cell" data-cell="error">
              {row.lastError === null ? (
                '—'
              ) : (
                <span className="a-two-lines">{beaconErrorText(row.lastError, strings)}</span>
              )}
            </span>
          </div>
        );
      }}
    />
  );
}

const hostOf = (url: string) => /^[a-z]+:\/\/([^/]+)/.exec(url)?.[1] ?? url;
const pathOf = (url: string) => /^[a-z]+:\/\/[^/]+(\/.*)$/.exec(url)?.[1] ?? '';
