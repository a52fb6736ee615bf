import type { AdminHome, AdminShowing } from '../../../../shared/admin';
import { showingKind } from '../../../../shared/play';
import { startAction } from '../../action-dialogs';
import { useModel, useTools, useWords } from '../../overlay-context';
import { CreativePicture } from '../../parts/creative-picture';
import { Icon, type IconName } from '../../parts/icon';
import { LastHour } from '../../parts/last-hour';
import { Button, Details, type Fact, Meter, ProblemWords, type Tone } from '../../parts/pieces';
import { joinWithDots, type Strings, textForCode } from '../../wording';
import type { OverlayPage } from '../pages';
import { wordsOf } from './words';

const FACES: Readonly<Record<AdminHome['state'], { icon: IconName; tone: Tone }>> = {
  starting: { icon: 'wait', tone: 'quiet' },
  playing: { icon: 'resume', tone: 'good' },
  'playing-from-store': { icon: 'store', tone: 'warn' },
  'no-content': { icon: 'warning', tone: 'warn' },
  paused: { icon: 'pause', tone: 'warn' },
  closed: { icon: 'moon', tone: 'quiet' },
  held: { icon: 'pause', tone: 'warn' },
  attention: { icon: 'warning', tone: 'bad' },
};

/** States in which no ad plays: a problem, which may stand for weeks, must not hide them. */
const SAID_BESIDE_PROBLEMS: ReadonlySet<AdminHome['state']> = new Set([
  'paused',
  'closed',
  'held',
  'no-content',
]);

/** Shows whether the kiosk works; if not, why, and what to do. */
function HomePage() {
  const home = useModel((model) => model.home);
  if (home === null) return null;
  return (
    <div className="a-sides a-grid">
      <div className="a-column">
        <BigState home={home} />
        <Suggestions home={home} />
        <div className="a-grid">
          <Showing home={home} which="now" />
          <Showing home={home} which="next" />
        </div>
        <LastHour home={home} />
      </div>
      <Facts home={home} />
    </div>
  );
}

/** A few words about a state, shown below its name. */
function stateLine(home: AdminHome, state: AdminHome['state'], strings: Strings): string {
  const words = wordsOf(strings);
  const time = (at: number) => strings.momentText(at, home.clock.now);
  const { lastSuccessAt: answeredAt = null, failing = false } =
    home.service.find(({ operation }) => operation === 'ads') ?? {};
  switch (state) {
    case 'playing':
    case 'attention':
      return words.since(time(home.since));
    case 'playing-from-store':
      return answeredAt === null ? words.noAnswerYet : words.noAnswerSince(time(answeredAt));
    case 'paused':
      return home.maintenanceUntil === null
        ? words.since(time(home.since))
        : joinWithDots(words.pausedUntil(time(home.maintenanceUntil)), words.stateAdvice.paused);
    case 'no-content':
      if (home.playlist !== null) return words.stateAdvice['no-content'];
      if (answeredAt !== null && !failing) return words.noAdAdvice;
      // A safe start has no network to test.
      return home.actions['connection-test'] === 'nothing-to-do' ? '' : words.noPlaylistAdvice;
    default:
      return words.stateAdvice[state];
  }
}

function BigState({ home }: { home: AdminHome }) {
  const { strings } = useTools();
  const face = FACES[home.state];
  const apart = home.apartFromProblems;
  const isHidden = home.state === 'attention' && SAID_BESIDE_PROBLEMS.has(apart);
  return (
    <section className="a-hero a-card a-column" data-tone={face.tone} aria-label={strings.states[home.state]}>
      <div className="a-line">
        <span className="a-disc a-centre">
          <Icon name={face.icon} />
        </span>
        <div role="status">
          <p className="a-hero-state a-title a-large">{strings.states[home.state]}</p>
          <p>{stateLine(home, home.state, strings)}</p>
          {isHidden && <p>{joinWithDots(strings.states[apart], stateLine(home, apart, strings))}</p>}
        </div>
      </div>
      {home.attention.length > 0 && (
        <ul className="a-column">
          {home.attention.map((problem) => (
            <li key={problem.code}>
              <ProblemWords {...problem} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Suggestions({ home }: { home: AdminHome }) {
  const { words, ...tools } = useWords(wordsOf);
  if (home.suggestions.length === 0) return null;
  return (
    <section className="a-grid" aria-label={words.likely}>
      {home.suggestions.map((action, index) => (
        <Button
          key={action}
          icon={action}
          kind={index === 0 ? 'main' : 'plain'}
          onClick={() => startAction(action, tools)}
        >
          {tools.strings.actions[action].name}
        </Button>
      ))}
    </section>
  );
}

/** The last part of an address; null: it has none. */
const fileOf = (url: string | null) => url?.split('/').at(-1) || url;

function Showing({ home, which }: { home: AdminHome; which: 'now' | 'next' }) {
  const { strings, words } = useWords(wordsOf);
  const showing: AdminShowing | null = home[which];
  const title = which === 'now' ? strings.now : words.next;
  if (showing === null) {
    return (
      <section className="a-card a-column" aria-label={title}>
        <p className="a-label">{title}</p>
        <p className="a-quiet a-strong">{which === 'now' ? words.nothingNow : words.nothingNext}</p>
      </section>
    );
  }
  const { at, durationMs } = showing;
  const kind = showingKind(showing);
  const played = at === null || durationMs === null ? null : (home.clock.now - at) / durationMs;
  return (
    <section className="a-card a-column" aria-label={title}>
      <p className="a-apart">
        <span className="a-label">{title}</span>
        <span className="a-note">
          {joinWithDots(strings.kinds[kind], durationMs !== null && strings.spanText(durationMs))}
        </span>
      </p>
      <div className="a-line">
        <CreativePicture key={showing.picture?.url} picture={showing.picture} kind={kind} />
        <div className="a-grow">
          <p className="a-strong a-break">{showing.adId ?? strings.kinds[kind]}</p>
          <p className="a-quiet a-cut">
            {joinWithDots(showing.campaignId, showing.sourceId) || fileOf(showing.mediaUrl)}
          </p>
        </div>
      </div>
      {which === 'now' && played !== null && played <= 1 && <Meter value={played} label={strings.now} />}
    </section>
  );
}

function displayLine({ on, until }: NonNullable<AdminHome['display']>, now: number, strings: Strings) {
  const words = wordsOf(strings);
  const power = words.displayPower[on === null ? 'unknown' : on ? 'on' : 'off'];
  return on === null || until === null ? power : words.displayUntil(power, strings.momentText(until, now));
}

function Facts({ home }: { home: AdminHome }) {
  const { strings, words } = useWords(wordsOf);
  const { clock, playlist, storage, display, proof, link, kiosk, service } = home;
  const bytes = (n: number) => strings.bytesText(n);
  const ago = (at: number) => strings.agoText(at, clock.now);
  const time = (at: number) => strings.momentText(at, clock.now);
  const failing = service.filter((part) => part.failing);
  const failingNames = failing.map(({ operation }) => strings.operations[operation]).join(', ');
  const failure = strings.problems[failing[0]?.lastError?.code ?? '']?.what;
  const mediaProblems = storage.problems.map((code) =>
    textForCode(strings.mediaProblems, code, strings.mediaProblems.file),
  );
  const facts: ReadonlyArray<Fact | null> = [
    {
      name: words.lastContact,
      value: home.lastContactAt === null ? words.notSinceStart : ago(home.lastContactAt),
      problem: failing.length > 0 && joinWithDots(`${failingNames}: ${words.serviceFails}`, failure ?? null),
    },
    {
      name: words.clock,
      value: strings.clockText(clock.now),
      detail: strings.correctionText(clock.correctionMs),
      problem: !clock.trusted && words.clockUntrusted,
    },
    {
      name: words.playlist,
      value: playlist === null ? words.noPlaylist : words.playlistLine(playlist.eligible, playlist.ads),
      isBad: playlist === null || playlist.eligible === 0,
      detail:
        playlist &&
        joinWithDots(
          strings.received(ago(playlist.receivedAt)),
          playlist.rejected > 0 && strings.rejectedAds(playlist.rejected),
        ),
    },
    {
      name: words.storage,
      value: words.storageLine(bytes(storage.mediaBytes), bytes(storage.quotaBytes)),
      detail: joinWithDots(
        strings.fileCount(storage.mediaFiles),
        storage.freeBytes !== null && strings.freeSpace(bytes(storage.freeBytes)),
      ),
      problem: joinWithDots(...[...new Set(mediaProblems)].slice(0, 2)),
    },
    {
      name: words.books,
      value: strings.numberText(storage.plays),
      problem: storage.lostPlays > 0 && words.lostPlays(storage.lostPlays),
    },
    display && {
      name: strings.actions.display.name,
      value: displayLine(display, clock.now, strings),
      detail: joinWithDots(display.by && words.displayBy[display.by], display.how),
      problem: display.failing && words.displayFailing,
    },
    proof && {
      name: words.proof,
      value:
        proof.lastSentAt === null
          ? words.proofNotSent(proof.waiting ?? words.proofUnknown)
          : words.proofSent(proof.waiting ?? words.proofUnknown, time(proof.lastSentAt)),
      isBad: proof.failing,
      problem: proof.setAside > 0 && words.segmentsSetAside(proof.setAside),
    },
    link && {
      name: words.link,
      value: (link.connected ? words.linkConnected : words.linkLost)(time(link.since)),
      isBad: link.error !== null,
      detail: link.error ? (strings.problems['fleet-link']?.todo ?? null) : link.broker,
    },
    {
      name: strings.address,
      value: kiosk.addresses[0] ?? strings.noAddress,
      isBad: kiosk.addresses.length === 0,
      detail: joinWithDots(
        kiosk.hostName,
        kiosk.addresses.length > 1 && strings.more(kiosk.addresses.length - 1),
      ),
    },
  ];
  return <Details className="a-card" facts={facts.filter((fact) => fact !== null)} />;
}

export const page: OverlayPage = {
  icon: 'home',
  words: wordsOf,
  Page: HomePage,
};
