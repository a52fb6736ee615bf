import { useCallback, useEffect, useRef, useState } from 'react';
import type { AdReason, AdRow, AdsPage as AdsAnswer, AdsQuery } from '../../../shared/admin';
import { useRested, useTools } from '../overlay-context';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icon';
import { Chip, Choice, Empty, Refused, Skeleton } from '../parts/pieces';
import { SearchField } from '../parts/text-field';
import { type RowRange, VirtualRows } from '../parts/virtual-rows';
import type { Strings } from '../strings';
import { audienceText, clockText, momentText, numberText, spanText, windowText } from '../wording';

const PAGE_ROWS = 100;
const LOOK_AGAIN_MS = 3_000;
const REASONS = [
  'expired',
  'audience',
  'capped',
  'uncountable',
  'no-media',
] as const satisfies readonly AdReason[];

type Show = AdsQuery['show'];
type Refusal = Extract<Awaited<ReturnType<ReturnType<typeof useTools>['calls']['ask']>>, { ok: false }>;

/** The stored playlist, with what speaks for and against each ad at this moment. */
export function AdsPage() {
  const { strings } = useTools();
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<Show>('all');
  const [opened, setOpened] = useState<number | null>(null);
  const rested = useRested(search.trim(), 200);
  const { answer, rowAt, look, refusal, again } = useAdRows(rested, show);

  const row = useCallback(
    (position: number) => {
      const ad = rowAt(position);
      return <AdLine key={position} position={position} ad={ad} onOpen={setOpened} />;
    },
    [rowAt],
  );
  const count = (n: number) => numberText(n, strings);
  const tally = answer?.tally;
  const byReason = (reason: AdReason) => (reason === 'no-media' ? tally?.noMedia : tally?.[reason]) ?? 0;
  const filters: ReadonlyArray<{ value: Show; words: string; badge?: string }> = [
    { value: 'all', words: strings.all, ...badge(tally?.ads) },
    { value: 'eligible', words: strings.mayPlay, ...badge(tally?.eligible) },
    {
      value: 'not-eligible',
      words: strings.mayNotPlay,
      ...badge(tally === undefined ? undefined : tally.ads - tally.eligible),
    },
    ...REASONS.filter((reason) => byReason(reason) > 0 || show === reason).map((reason) => ({
      value: reason,
      words: strings.reasons[reason],
      ...badge(byReason(reason)),
    })),
  ];
  function badge(n: number | undefined): { badge?: string } {
    return n === undefined ? {} : { badge: count(n) };
  }
  const open = opened === null ? null : rowAt(opened);
  return (
    <div className="a-listing">
      <SearchField label={strings.searchAds} value={search} onChange={setSearch} />
      <Choice label={strings.decision} value={show} options={filters} onChoose={setShow} />
      {refusal !== null && answer === null ? (
        <Refused code={refusal.code} message={refusal.message} onRetry={again} />
      ) : answer === null ? (
        <Skeleton lines={8} />
      ) : answer.matching === 0 ? (
        <Empty icon="search">{strings.noMatch}</Empty>
      ) : (
        <VirtualRows
          key={`${rested} ${show}`}
          label={strings.pages.ads}
          columns="ads"
          count={answer.matching}
          onRange={look}
          row={row}
          head={[
            strings.decision,
            strings.ad,
            strings.campaign,
            strings.expiry,
            strings.caps,
            strings.audience,
            strings.media,
          ].map((words) => (
            <span key={words} role="columnheader" className="a-cell">
              {words}
            </span>
          ))}
        />
      )}
      {answer !== null && (
        <div className="a-foot">
          <span>{strings.matching(count(answer.matching), count(answer.tally.ads))}</span>
          <span>{strings.judgedAt(clockText(answer.at, strings))}</span>
          {answer.rejectedTotal > 0 && (
            <details className="a-rejected">
              <summary>{strings.rejectedAds(count(answer.rejectedTotal))}</summary>
              <ul aria-label={strings.notRead}>
                {answer.rejected.map((rejection, index) => (
                  <Rejection key={index} rejection={rejection} />
                ))}
              </ul>
            </details>
          )}
          {answer.online !== null && <OnlineAnswer answer={answer.online} />}
        </div>
      )}
      {open !== null && answer !== null && (
        <AdDialog ad={open} at={answer.at} onClose={() => setOpened(null)} />
      )}
    </div>
  );
}

/** An ad that could not be read. */
function Rejection({ rejection: { id, code, detail } }: { rejection: AdsAnswer['rejected'][number] }) {
  return (
    <li lang="en">
      <strong>{id ?? '—'}</strong> <span className="a-mono">{code}</span> {detail}
    </li>
  );
}

/** The ads of the last online answer, with the decision on each. */
function OnlineAnswer({ answer }: { answer: NonNullable<AdsAnswer['online']> }) {
  const { strings } = useTools();
  const title = strings.onlineAnswer(clockText(answer.at, strings));
  return (
    <details className="a-rejected">
      <summary>{title}</summary>
      <ul aria-label={title}>
        {answer.ads.map((ad, index) => (
          <li key={index} lang="en">
            <Decision ad={ad} /> <strong>{ad.title ?? ad.id}</strong> {ad.detail}
          </li>
        ))}
        {answer.rejected.map((rejection, index) => (
          <Rejection key={index} rejection={rejection} />
        ))}
        {answer.more > 0 && <li>{strings.moreAds(numberText(answer.more, strings))}</li>}
      </ul>
    </details>
  );
}

/** Pages of rows as they come into sight; those in sight are judged again every few seconds. */
function useAdRows(search: string, show: Show) {
  const { calls } = useTools();
  const pages = useRef(new Map<number, readonly AdRow[]>());
  const asked = useRef(new Set<number>());
  const range = useRef<RowRange>({ first: 0, last: 1 });
  const [answer, setAnswer] = useState<AdsAnswer | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [, drawn] = useState(0);
  const question = useRef(0);

  const fetchPage = useCallback(
    async (page: number) => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const mine = question.current;
      const reply = await calls.ask('ads', { search, show, offset: page * PAGE_ROWS, limit: PAGE_ROWS });
      if (mine !== question.current) return;
      asked.current.delete(page);
      if (!reply.ok) {
        setRefusal(reply);
        return;
      }
      pages.current.set(page, reply.output.rows);
      setRefusal(null);
      setAnswer(reply.output);
      drawn((count) => count + 1);
    },
    [calls, search, show],
  );
  const inSight = useCallback(() => {
    const { first, last } = range.current;
    const from = Math.floor(first / PAGE_ROWS);
    return Array.from(
      { length: Math.floor(Math.max(first, last - 1) / PAGE_ROWS) - from + 1 },
      (_, n) => from + n,
    );
  }, []);
  const again = useCallback(() => {
    for (const page of inSight()) void fetchPage(page);
  }, [inSight, fetchPage]);

  useEffect(() => {
    question.current += 1;
    pages.current.clear();
    asked.current.clear();
    range.current = { first: 0, last: 1 };
    again();
    const timer = setInterval(again, LOOK_AGAIN_MS);
    return () => {
      clearInterval(timer);
      question.current += 1;
    };
  }, [again]);

  return {
    answer,
    refusal,
    again,
    rowAt: useCallback(
      (position: number): AdRow | null =>
        pages.current.get(Math.floor(position / PAGE_ROWS))?.[position % PAGE_ROWS] ?? null,
      [],
    ),
    look: useCallback(
      (next: RowRange) => {
        range.current = next;
        for (const page of inSight()) if (!pages.current.has(page)) void fetchPage(page);
      },
      [inSight, fetchPage],
    ),
  };
}

function AdLine({
  position,
  ad,
  onOpen,
}: {
  position: number;
  ad: AdRow | null;
  onOpen: (position: number) => void;
}) {
  const { strings } = useTools();
  if (ad === null) {
    return (
      <div className="a-row" role="row" aria-rowindex={position + 2} aria-busy="true">
        <span role="cell" className="a-cell a-cell-waiting" />
      </div>
    );
  }
  const caps = capsText(ad, strings);
  return (
    <div className="a-row" role="row" aria-rowindex={position + 2} data-eligible={ad.eligible}>
      <span role="cell" className="a-cell" data-cell="decision">
        <Decision ad={ad} />
      </span>
      <span role="cell" className="a-cell" data-cell="ad">
        <button type="button" className="a-row-button" onClick={() => onOpen(position)}>
          {ad.title ?? ad.id}
        </button>
        <span className="a-cell-below">{ad.source ?? ad.sourceId ?? ''}</span>
      </span>
      <span role="cell" className="a-cell" data-cell="campaign">
        <span className="a-cut">{ad.campaignId ?? '—'}</span>
        <span className="a-cell-below">{ad.flightId ?? strings.noFlight}</span>
      </span>
      <span role="cell" className="a-cell" data-cell="expiry">
        <span className="a-cut">
          {ad.expiresAt === null ? strings.expiresNever : expiryText(ad.expiresAt, strings)}
        </span>
        {ad.expiresWithPlaylist && <span className="a-cell-below">{strings.withPlaylist}</span>}
      </span>
      <span role="cell" className="a-cell" data-cell="caps">
        <span className="a-cut">{caps[0] ?? strings.noCaps}</span>
        {caps.length > 1 && <span className="a-cell-below">{caps.slice(1).join(' · ')}</span>}
      </span>
      <span role="cell" className="a-cell" data-cell="audience">
        <span className="a-cut">{audienceText(ad.audience, strings)}</span>
      </span>
      <span role="cell" className="a-cell" data-cell="media">
        <span className="a-cut">{strings.mediaStates[ad.media.state]}</span>
      </span>
    </div>
  );
}

function Decision({ ad }: { ad: Pick<AdRow, 'eligible' | 'reasons'> }) {
  const { strings } = useTools();
  const [first] = ad.reasons;
  if (first === undefined)
    return (
      <Chip tone={ad.eligible ? 'good' : 'warn'}>{ad.eligible ? strings.mayPlay : strings.mayNotPlay}</Chip>
    );
  const more = ad.reasons.length - 1;
  return (
    <Chip tone={first === 'audience' || first === 'capped' ? 'warn' : 'bad'}>
      {strings.reasons[first]}
      {more > 0 && ` +${more}`}
    </Chip>
  );
}

function expiryText(at: number, { language }: Strings): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

/** Those nearest to their limit first: `3/3 hour`. */
function capsText(ad: Pick<AdRow, 'caps' | 'moreCaps'>, strings: Strings): readonly string[] {
  const nearest = [...ad.caps].sort((a, b) => b.used / Math.max(1, b.limit) - a.used / Math.max(1, a.limit));
  const words = nearest.map(
    ({ window, limit, used }) =>
      `${numberText(used, strings)}/${numberText(limit, strings)} ${windowText(window, strings)}`,
  );
  return ad.moreCaps > 0 ? [...words, strings.more(numberText(ad.moreCaps, strings))] : words;
}

function AdDialog({ ad, at, onClose }: { ad: AdRow; at: number; onClose: () => void }) {
  const { strings } = useTools();
  const facts: ReadonlyArray<readonly [string, string | null]> = [
    ['Id', ad.id],
    [strings.source, [ad.source, ad.sourceId].filter((words) => words !== null).join(' · ')],
    [strings.campaign, ad.campaignId],
    [strings.flight, ad.flightId],
    [strings.duration, ad.durationMs === null ? null : spanText(ad.durationMs, strings)],
    [
      strings.expiry,
      ad.expiresAt === null
        ? strings.expiresNever
        : `${momentText(ad.expiresAt, at, strings)}${ad.expiresWithPlaylist ? ` · ${strings.withPlaylist}` : ''}`,
    ],
    [strings.caps, capsText(ad, strings).join(' · ') || strings.noCaps],
    [strings.audience, audienceText(ad.audience, strings)],
    [
      strings.media,
      [strings.mediaStates[ad.media.state], ad.media.detail, ad.media.url]
        .filter((words) => words !== null)
        .join(' · '),
    ],
  ];
  return (
    <Dialog title={ad.title ?? ad.id} onClose={onClose} wide>
      <div className="a-verdict" data-eligible={ad.eligible}>
        <Icon name={ad.eligible ? 'check' : 'cross'} />
        <div>
          <p className="a-verdict-words">
            {ad.eligible
              ? strings.mayPlay
              : `${strings.mayNotPlay}: ${ad.reasons.map((reason) => strings.reasons[reason]).join(', ')}`}
          </p>
          <p lang="en">{ad.detail}</p>
        </div>
      </div>
      <dl className="a-details">
        {facts
          .filter(([, words]) => words !== null && words !== '')
          .map(([name, words]) => (
            <div key={name} className="a-detail">
              <dt>{name}</dt>
              <dd>{words}</dd>
            </div>
          ))}
      </dl>
    </Dialog>
  );
}
