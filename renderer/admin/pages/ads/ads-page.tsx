import { useState } from 'react';
import type { AdReason, AdRow, AdsPage as AdsAnswer, AdsQuery } from '../../../../shared/admin';
import { useQuery, useTools } from '../../overlay-context';
import { Dialog } from '../../parts/dialog';
import { Icon } from '../../parts/icon';
import { Chip, Choice, Details, Empty, QueryView } from '../../parts/pieces';
import { Table, TwoLines } from '../../parts/table';
import { SearchField } from '../../parts/text-field';
import type { Strings } from '../../strings/words';
import {
  audienceText,
  clockText,
  joinWithDots,
  momentText,
  numberText,
  spanText,
  windowText,
} from '../../wording';
import type { OverlayPage } from '../pages';
import { wordsOf } from './words';

/** Ads listed at once; search and filters find the others. */
const LIMIT = 100;
const LOOK_AGAIN_MS = 3_000;
const REASONS = [
  'expired',
  'audience',
  'capped',
  'uncountable',
  'no-media',
  'blocked',
] as const satisfies readonly AdReason[];

type Show = AdsQuery['show'];

/** The stored playlist, with the present decision on each ad and its reasons. */
function AdsPage() {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const [search, setSearch] = useState('');
  const [show, setShow] = useState<Show>('all');
  const [opened, setOpened] = useState<AdRow | null>(null);
  const answer = useQuery('ads', { search: search.trim(), show, limit: LIMIT }, LOOK_AGAIN_MS);

  const tally = answer.output?.tally;
  const byReason = (reason: AdReason) => (reason === 'no-media' ? tally?.noMedia : tally?.[reason]) ?? 0;
  const filter = (value: Show, name: string, ads = 0) => ({
    value,
    words: name,
    badge: tally === undefined ? null : numberText(ads, strings),
  });
  const filters = [
    filter('all', words.all, tally?.ads),
    filter('eligible', words.mayPlay, tally?.eligible),
    filter('not-eligible', words.mayNotPlay, tally && tally.ads - tally.eligible),
    ...REASONS.filter((reason) => byReason(reason) > 0 || show === reason).map((reason) =>
      filter(reason, strings.reasons[reason], byReason(reason)),
    ),
  ];
  // While the dialog is open, the rows may change and the ad may no longer match.
  const isOpened = ({ id, index }: AdRow) => id === opened?.id && index === opened.index;
  const open = answer.output?.rows.find(isOpened) ?? opened;
  return (
    <div className="a-listing a-stack">
      <SearchField label={words.searchAds} value={search} onChange={setSearch} />
      <Choice label={words.decision} value={show} options={filters} onChoose={setShow} />
      <QueryView answer={answer}>
        {(ads) => (
          <>
            {ads.matching === 0 ? (
              <Empty icon="search">{words.noMatch}</Empty>
            ) : (
              <Table
                key={`${search} ${show}`}
                label={words.name}
                rows={ads.rows}
                heads={{
                  decision: words.decision,
                  ad: strings.ad,
                  campaign: strings.campaign,
                  expiry: words.expiry,
                  caps: words.caps,
                }}
                cells={(ad) => adCells(ad, ads.at, () => setOpened(ad), strings)}
                below={
                  ads.matching > ads.rows.length && (
                    <p className="a-table-more a-quiet">{strings.more(ads.matching - ads.rows.length)}</p>
                  )
                }
              />
            )}
            <div className="a-foot a-line a-note">
              <span>{words.matching(ads.matching, ads.tally.ads)}</span>
              <span>{words.judgedAt(clockText(ads.at, strings))}</span>
              {ads.rejectedTotal > 0 && (
                <details className="a-rejected">
                  <summary>{strings.rejectedAds(ads.rejectedTotal)}</summary>
                  <ul aria-label={words.notRead}>
                    <Rejections rejected={ads.rejected} />
                  </ul>
                </details>
              )}
              {ads.online !== null && <OnlineAnswer answer={ads.online} />}
            </div>
            {open !== null && <AdDialog ad={open} at={ads.at} onClose={() => setOpened(null)} />}
          </>
        )}
      </QueryView>
    </div>
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
  const { strings } = useTools();
  const title = wordsOf(strings).onlineAnswer(clockText(answer.at, strings));
  return (
    <details className="a-rejected">
      <summary>{title}</summary>
      <ul aria-label={title}>
        {answer.ads.map((ad, index) => (
          <li key={index} lang="en">
            <Decision ad={ad} /> <strong>{ad.title ?? ad.id}</strong> {ad.detail}
          </li>
        ))}
        <Rejections rejected={answer.rejected} />
        {answer.more > 0 && <li>{strings.more(answer.more)}</li>}
      </ul>
    </details>
  );
}

function adCells(ad: AdRow, at: number, onOpen: () => void, strings: Strings) {
  const words = wordsOf(strings);
  const [firstCap, ...otherCaps] = capsText(ad, strings);
  return [
    <Decision key="decision" ad={ad} />,
    <TwoLines key="ad" below={ad.source ?? ad.sourceId}>
      <button type="button" className="a-row-button a-cut a-strong" onClick={onOpen}>
        {ad.title ?? ad.id}
      </button>
    </TwoLines>,
    <TwoLines key="campaign" below={ad.flightId ?? strings.noFlight}>
      {ad.campaignId ?? '—'}
    </TwoLines>,
    <TwoLines key="expiry" below={ad.expiresWithPlaylist && words.withPlaylist}>
      <span>{momentText(ad.expiresAt, at, strings)}</span>
    </TwoLines>,
    <TwoLines key="caps" below={otherCaps.join(' · ')}>
      {firstCap ?? words.noCaps}
    </TwoLines>,
  ];
}

function Decision({ ad: { eligible, reasons } }: { ad: Pick<AdRow, 'eligible' | 'reasons'> }) {
  const { strings } = useTools();
  const [first] = reasons;
  if (first === undefined) {
    const { mayPlay, mayNotPlay } = wordsOf(strings);
    return <Chip tone={eligible ? 'good' : 'warn'}>{eligible ? mayPlay : mayNotPlay}</Chip>;
  }
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
    ({ window, limit, used }) =>
      `${numberText(used, strings)}/${numberText(limit, strings)} ${windowText(window, strings)}`,
  );
  return ad.moreCaps > 0 ? [...words, strings.more(ad.moreCaps)] : words;
}

function AdDialog({ ad, at, onClose }: { ad: AdRow; at: number; onClose: () => void }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const expiry = momentText(ad.expiresAt, at, strings);
  const reasons = ad.reasons.map((reason) => strings.reasons[reason]).join(', ');
  return (
    <Dialog title={ad.title ?? ad.id} onClose={onClose} wide>
      <div className="a-notice a-line" data-tone={ad.eligible ? 'good' : 'warn'}>
        <Icon name={ad.eligible ? 'check' : 'cross'} />
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
          { name: words.duration, value: ad.durationMs === null ? null : spanText(ad.durationMs, strings) },
          { name: words.expiry, value: joinWithDots(expiry, ad.expiresWithPlaylist && words.withPlaylist) },
          { name: words.caps, value: capsText(ad, strings).join(' · ') || words.noCaps },
          { name: words.audience, value: audienceText(ad.audience, strings) },
          {
            name: words.media,
            value: joinWithDots(words.mediaStates[ad.media.state], ad.media.detail, ad.media.url),
          },
        ]}
      />
    </Dialog>
  );
}

export const page: OverlayPage = {
  icon: 'ads',
  words: wordsOf,
  Page: AdsPage,
};
