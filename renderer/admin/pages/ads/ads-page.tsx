import { useState } from 'react';
import { AdReason, type AdRow, type AdsPage as AdsAnswer, type AdsChoice } from '../../../../shared/admin';
import { both, pageWords, template } from '../../../translations';
import { useQuery, useWords } from '../../overlay-context';
import { Dialog } from '../../parts/dialog';
import { Icon } from '../../parts/icon';
import { Chip, Choice, Details, Empty, QueryView } from '../../parts/pieces';
import { type Column, Table } from '../../parts/table';
import { SearchField } from '../../parts/text-field';
import { joinWithDots, type Strings } from '../../wording';
import type { OverlayPage } from '../pages';

/** Ads listed at once; search and filters find the others. */
const LIMIT = 100;
const LOOK_AGAIN_MS = 3_000;

/** The stored playlist, with the present decision on each ad and its reasons. */
function AdsPage() {
  const { strings, words } = useWords(wordsOf);
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<AdsChoice>('all');
  const [opened, setOpened] = useState<AdRow | null>(null);
  const answer = useQuery('ads', { search: search.trim(), show, limit: LIMIT }, LOOK_AGAIN_MS);

  const counts: Partial<AdsAnswer['counts']> = answer.output?.counts ?? {};
  const reasons = AdReason.options.filter((reason) => (counts[reason] ?? 0) > 0 || show === reason);
  // While the dialog is open, the rows may change and the ad may no longer match.
  const isOpened = ({ id, index }: AdRow) => id === opened?.id && index === opened.index;
  const open = answer.output?.rows.find(isOpened) ?? opened;
  return (
    <>
      <SearchField label={words.searchAds} value={search} onChange={setSearch} />
      <Choice
        label={words.decision}
        value={show}
        options={{
          all: strings.all,
          eligible: words.mayPlay,
          'not-eligible': words.mayNotPlay,
          ...Object.fromEntries(reasons.map((reason) => [reason, strings.reasons[reason]])),
        }}
        counts={counts}
        onChoose={setShow}
      />
      <QueryView answer={answer}>
        {({ at, matching, rows, rejected, rejectedTotal, online }) => (
          <>
            <Table
              key={`${search} ${show}`}
              label={words.name}
              columns={columnsOf(at, strings)}
              rows={rows}
              empty={<Empty icon="search">{words.noMatch}</Empty>}
              onOpen={setOpened}
              foot={
                matching > rows.length && (
                  <p className="a-table-more a-quiet">{strings.more(matching - rows.length)}</p>
                )
              }
            />
            <div className="a-foot a-wrap a-line a-note">
              <span>{words.matching(matching, counts.all ?? 0)}</span>
              <span>{words.judgedAt(strings.clockText(at))}</span>
              {rejectedTotal > 0 && (
                <details className="a-rejected">
                  <summary>{strings.rejectedAds(rejectedTotal)}</summary>
                  <ul aria-label={words.notRead}>
                    <Rejections rejected={rejected} />
                  </ul>
                </details>
              )}
              {online !== null && <OnlineAnswer answer={online} />}
            </div>
            {open !== null && <AdDialog ad={open} at={at} onClose={() => setOpened(null)} />}
          </>
        )}
      </QueryView>
    </>
  );
}

function Rejections({ rejected }: { rejected: AdsAnswer['rejected'] }) {
  return rejected.map(({ id, code, detail }, index) => (
    <li key={index} lang="en">
      <strong>{id ?? '—'}</strong> <span className="a-mono">{code}</span> {detail}
    </li>
  ));
}

/** The ads of the last online answer, with the decision on each. */
function OnlineAnswer({ answer }: { answer: NonNullable<AdsAnswer['online']> }) {
  const { strings, words } = useWords(wordsOf);
  const title = words.onlineAnswer(strings.clockText(answer.at));
  return (
    <details className="a-rejected">
      <summary>{title}</summary>
      <ul aria-label={title}>
        {answer.ads.map((ad, index) => (
          <li key={index}>
            <Decision ad={ad} /> <strong>{ad.title ?? ad.id}</strong> <span lang="en">{ad.detail}</span>
          </li>
        ))}
        <Rejections rejected={answer.rejected} />
        {answer.more > 0 && <li>{strings.more(answer.more)}</li>}
      </ul>
    </details>
  );
}

function columnsOf(at: number, strings: Strings): ReadonlyArray<Column<AdRow>> {
  const words = wordsOf(strings);
  return [
    { head: words.decision, cell: (ad) => <Decision ad={ad} /> },
    {
      kind: 'name',
      head: strings.kinds.ad,
      cell: ({ title, id }) => title ?? id,
      below: ({ source, sourceId }) => source ?? sourceId,
    },
    {
      kind: 'minor',
      head: strings.campaign,
      cell: ({ campaignId }) => campaignId ?? '—',
      below: ({ flightId }) => flightId ?? strings.noFlight,
    },
    {
      head: words.expiry,
      cell: ({ expiresAt }) => strings.momentText(expiresAt, at),
      below: ({ expiresWithPlaylist }) => expiresWithPlaylist && words.withPlaylist,
    },
    {
      head: words.caps,
      cell: (ad) => capsText(ad, strings)[0] ?? words.noCaps,
      below: (ad) => capsText(ad, strings).slice(1).join(' · '),
    },
  ];
}

function Decision({ ad: { eligible, reasons } }: { ad: Pick<AdRow, 'eligible' | 'reasons'> }) {
  const { strings, words } = useWords(wordsOf);
  const [first] = reasons;
  if (first === undefined)
    return <Chip tone={eligible ? 'good' : 'warn'}>{eligible ? words.mayPlay : words.mayNotPlay}</Chip>;
  return (
    <Chip tone={first === 'audience' || first === 'capped' ? 'warn' : 'bad'}>
      {strings.reasons[first]}
      {reasons.length > 1 && ` +${reasons.length - 1}`}
    </Chip>
  );
}

/** Caps nearest to their limit first: `3/3 hour`. */
function capsText(ad: Pick<AdRow, 'caps' | 'moreCaps'>, strings: Strings): readonly string[] {
  // A cap of 0 is always reached.
  const share = ({ used, limit }: AdRow['caps'][number]) => (limit === 0 ? 1 + used : used / limit);
  const nearest = [...ad.caps].sort((a, b) => share(b) - share(a));
  const words = nearest.map(
    (cap) => `${strings.numberText(cap.used)}/${strings.numberText(cap.limit)} ${strings.windowText(cap)}`,
  );
  return ad.moreCaps > 0 ? [...words, strings.more(ad.moreCaps)] : words;
}

function AdDialog({ ad, at, onClose }: { ad: AdRow; at: number; onClose: () => void }) {
  const { strings, words } = useWords(wordsOf);
  const expiry = strings.momentText(ad.expiresAt, at);
  const reasons = ad.reasons.map((reason) => strings.reasons[reason]).join(', ');
  return (
    <Dialog title={ad.title ?? ad.id} onClose={onClose}>
      <div className="a-card a-line" data-tone={ad.eligible ? 'good' : 'warn'}>
        <Icon name={ad.eligible ? 'check' : 'close'} />
        <div className="a-grow a-break">
          <p className="a-strong">{ad.eligible ? words.mayPlay : `${words.mayNotPlay}: ${reasons}`}</p>
          <p lang="en">{ad.detail}</p>
        </div>
      </div>
      <Details
        facts={[
          { name: 'Id', value: ad.id },
          { name: strings.source, value: joinWithDots(ad.source, ad.sourceId) },
          { name: strings.campaign, value: ad.campaignId },
          { name: strings.flight, value: ad.flightId },
          { name: words.duration, value: ad.durationMs === null ? null : strings.spanText(ad.durationMs) },
          { name: words.expiry, value: joinWithDots(expiry, ad.expiresWithPlaylist && words.withPlaylist) },
          { name: words.caps, value: capsText(ad, strings).join(' · ') || words.noCaps },
          { name: strings.reasons.audience, value: strings.audienceText(ad.audience) },
          {
            name: words.media,
            value: joinWithDots(words.mediaStates[ad.media.state], ad.media.detail, ad.media.url),
          },
        ]}
      />
    </Dialog>
  );
}

const wordsOf = pageWords({
  name: both('Why this ad?', 'Warum diese Werbung?'),
  tab: both('Ads', 'Werbung'),
  onlineAnswer: template('Online answer of {time}', 'Online-Antwort von {time}'),
  searchAds: both(
    'Search id, title, source, flight, campaign',
    'Suche nach ID, Titel, Quelle, Flight, Kampagne',
  ),
  mayPlay: both('May play', 'Darf laufen'),
  mayNotPlay: both('May not play', 'Darf nicht'),
  decision: both('Decision', 'Entscheidung'),
  expiry: both('Expiry', 'Ablauf'),
  caps: both('Caps', 'Limits'),
  media: both('Media', 'Medien'),
  duration: both('Length', 'Länge'),
  noCaps: both('no caps', 'keine Limits'),
  withPlaylist: both('with the playlist', 'mit der Liste'),
  mediaStates: {
    ready: both('on disk', 'gespeichert'),
    waiting: both('not on disk yet', 'noch nicht geladen'),
    failed: both('failed', 'fehlgeschlagen'),
    unsupported: both('none for this kiosk', 'keine für diesen Kiosk'),
  },
  matching: template('{n} of {of} ads', '{n} von {of}'),
  judgedAt: template('checked at {time}', 'Stand {time}'),
  noMatch: both('No ad matches.', 'Keine Werbung passt dazu.'),
  notRead: both('Ads of the last answer that could not be read', 'Nicht lesbare Werbung der letzten Antwort'),
});

export const page: OverlayPage = {
  icon: 'ads',
  words: wordsOf,
  Page: AdsPage,
};
