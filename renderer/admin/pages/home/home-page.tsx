import type { ReactNode } from 'react';
import type { AdminHome, AdminShowing } from '../../../shared/admin';
import { useModel, useTools } from '../overlay-context';
import { CreativePicture } from '../parts/creative-picture';
import { Icon, type IconName } from '../parts/icon';
import { LastHour } from '../parts/last-hour';
import { Button, Meter, ProblemWords, Skeleton } from '../parts/pieces';
import type { Strings } from '../strings';
import { agoText, bytesText, clockText, correctionText, momentText, numberText, spanText } from '../wording';

const FACES: Readonly<
  Record<AdminHome['state'], { icon: IconName; tone: 'good' | 'warn' | 'bad' | 'quiet' }>
> = {
  starting: { icon: 'wait', tone: 'quiet' },
  playing: { icon: 'resume', tone: 'good' },
  'playing-from-store': { icon: 'store', tone: 'warn' },
  'no-content': { icon: 'warning', tone: 'warn' },
  paused: { icon: 'pause', tone: 'warn' },
  closed: { icon: 'moon', tone: 'quiet' },
  held: { icon: 'pause', tone: 'warn' },
  attention: { icon: 'warning', tone: 'bad' },
};

/** Is it working, if not why, and what to do. */
export function HomePage() {
  const home = useModel((model) => model.home);
  if (home === null) return <HomeSkeleton />;
  return (
    <div className="a-home">
      <BigState home={home} />
      <Suggestions home={home} />
      <div className="a-showings">
        <Showing home={home} which="now" />
        <Showing home={home} which="next" />
      </div>
      <LastHour home={home} />
      <Facts home={home} />
    </div>
  );
}

function HomeSkeleton() {
  return (
    <div className="a-home">
      <div className="a-hero">
        <Skeleton lines={3} />
      </div>
      <div className="a-facts">
        <Skeleton lines={8} />
      </div>
    </div>
  );
}

/** What follows the state's name, in a few words. */
function stateLine(home: AdminHome, strings: Strings): string {
  const since = strings.since(momentText(home.since, home.clock.now, strings));
  switch (home.state) {
    case 'playing':
      return since;
    case 'playing-from-store':
      return home.lastContactAt === null
        ? strings.noAnswerYet
        : strings.noNetworkSince(momentText(home.lastContactAt, home.clock.now, strings));
    case 'paused':
      return home.maintenanceUntil === null
        ? since
        : `${strings.pausedUntil(momentText(home.maintenanceUntil, home.clock.now, strings))} · ${strings.stateAdvice.paused}`;
    case 'attention':
      return since;
    case 'starting':
    case 'no-content':
    case 'closed':
    case 'held':
      return strings.stateAdvice[home.state];
  }
}

function BigState({ home }: { home: AdminHome }) {
  const { strings } = useTools();
  const face = FACES[home.state];
  const problems = home.attention.slice(0, 3);
  return (
    <section className="a-hero" data-tone={face.tone} aria-label={strings.states[home.state]}>
      <span className="a-hero-face">
        <Icon name={face.icon} />
      </span>
      <div className="a-hero-words" role="status">
        <p className="a-hero-state">{strings.states[home.state]}</p>
        <p className="a-hero-line">{stateLine(home, strings)}</p>
      </div>
      {problems.length > 0 && (
        <ul className="a-problems">
          {problems.map((problem) => (
            <li key={problem.code} className="a-problem-item">
              <ProblemWords {...problem} />
            </li>
          ))}
          {home.attention.length > problems.length && (
            <li className="a-quiet">
              {strings.more(numberText(home.attention.length - problems.length, strings))}
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Suggestions({ home }: { home: AdminHome }) {
  const { strings, begin } = useTools();
  if (home.suggestions.length === 0) return null;
  return (
    <section className="a-suggestions" aria-label={strings.likely}>
      {home.suggestions.map((action, index) => (
        <Button
          key={action}
          icon={action}
          kind={index === 0 ? 'main' : 'plain'}
          onPress={() => begin(action)}
        >
          {strings.actions[action].name}
        </Button>
      ))}
    </section>
  );
}

function fileOf(url: string | null): string | null {
  if (url === null) return null;
  const name = url.split('/').at(-1);
  return name === undefined || name === '' ? url : name;
}

function Showing({ home, which }: { home: AdminHome; which: 'now' | 'next' }) {
  const { strings } = useTools();
  const showing: AdminShowing | null = home[which];
  const title = which === 'now' ? strings.now : strings.next;
  if (showing === null) {
    return (
      <section className="a-showing" aria-label={title}>
        <p className="a-label">{title}</p>
        <p className="a-showing-name a-quiet">{which === 'now' ? strings.nothingNow : strings.nothingNext}</p>
      </section>
    );
  }
  const { startedAt, durationMs } = showing;
  const played = startedAt === null || durationMs === null ? null : (home.clock.now - startedAt) / durationMs;
  const from = [showing.campaignId, showing.sourceId].filter((words) => words !== null);
  return (
    <section className="a-showing" aria-label={title}>
      <p className="a-label">
        {title}
        <span className="a-showing-kind">
          {strings.kinds[showing.kind]}
          {durationMs !== null && ` · ${spanText(durationMs, strings)}`}
        </span>
      </p>
      <div className="a-showing-what">
        <CreativePicture key={showing.picture?.url} picture={showing.picture} kind={showing.kind} />
        <div className="a-showing-words">
          <p className="a-showing-name a-two-lines">{showing.adId ?? strings.kinds[showing.kind]}</p>
          <p className="a-quiet a-cut">
            {from.length > 0 ? from.join(' · ') : (fileOf(showing.mediaUrl) ?? '')}
          </p>
        </div>
      </div>
      {which === 'now' && played !== null && played <= 1 && <Meter value={played} label={strings.now} />}
    </section>
  );
}

function Fact({
  name,
  value,
  detail,
  bad = false,
  children,
}: {
  name: string;
  value: string;
  detail?: string | null;
  bad?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="a-fact" data-bad={bad}>
      <dt className="a-fact-name">{name}</dt>
      <dd className="a-fact-value">
        <span className="a-fact-main">{value}</span>
        {detail !== undefined && detail !== null && detail !== '' && (
          <span className="a-fact-detail">{detail}</span>
        )}
        {children}
      </dd>
    </div>
  );
}

function Facts({ home }: { home: AdminHome }) {
  const { strings } = useTools();
  const { clock, playlist, storage, beacons, kiosk, versions, service } = home;
  const count = (n: number) => numberText(n, strings);
  const failing = service.filter((part) => part.failing);
  const words = (...parts: ReadonlyArray<string | null | false>) =>
    parts.filter((part) => part !== null && part !== false).join(' · ');
  return (
    <dl className="a-facts">
      <Fact
        name={strings.lastContact}
        value={agoText(home.lastContactAt, clock.now, strings)}
        bad={failing.length > 0}
        detail={
          failing.length > 0
            ? words(
                `${failing.map(({ operation }) => strings.operations[operation]).join(', ')}: ${strings.serviceFails}`,
                strings.problems[failing[0]?.lastError?.code ?? '']?.what ?? null,
              )
            : null
        }
      />
      <Fact
        name={strings.clock}
        value={clockText(clock.now, strings)}
        bad={!clock.trusted}
        detail={words(correctionText(clock.correctionMs, strings), !clock.trusted && strings.clockUntrusted)}
      />
      <Fact
        name={strings.playlist}
        value={
          playlist === null
            ? strings.noPlaylist
            : strings.playlistLine(count(playlist.eligible), count(playlist.ads))
        }
        bad={playlist === null || playlist.eligible === 0}
        detail={
          playlist === null
            ? null
            : words(
                strings.received(agoText(playlist.receivedAt, clock.now, strings)),
                playlist.rejected > 0 && strings.rejectedAds(count(playlist.rejected)),
              )
        }
      />
      <Fact
        name={strings.storage}
        value={strings.storageLine(
          bytesText(storage.mediaBytes, strings),
          bytesText(storage.quotaBytes, strings),
        )}
        bad={storage.problems.length > 0}
        detail={words(
          strings.files(count(storage.mediaFiles)),
          storage.freeBytes !== null && strings.free(bytesText(storage.freeBytes, strings)),
          ...storage.problems
            .map(({ code, message }) => strings.mediaProblems[code] ?? message)
            .filter((words, index, all) => all.indexOf(words) === index)
            .slice(0, 2),
        )}
      />
      <Fact
        name={strings.books}
        value={count(storage.plays)}
        bad={storage.lostPlays > 0}
        detail={storage.lostPlays > 0 ? strings.lostPlays(count(storage.lostPlays)) : null}
      />
      <Fact
        name={strings.pages.beacons}
        value={strings.beaconsLine(count(beacons.sent), count(beacons.pending))}
        detail={beacons.failed > 0 ? strings.failedCount(count(beacons.failed)) : null}
      />
      <Fact
        name={strings.address}
        value={kiosk.addresses[0] ?? strings.noAddress}
        bad={kiosk.addresses.length === 0}
        detail={words(
          kiosk.hostName,
          kiosk.addresses.length > 1 && strings.more(count(kiosk.addresses.length - 1)),
        )}
      />
      <Fact name={strings.player} value={kiosk.player ?? strings.none} detail={kiosk.id} />
      <Fact
        name={strings.versions}
        value={`Endcap ${versions.endcap}`}
        detail={words(versions.electron !== null && `Electron ${versions.electron}`, `Node ${versions.node}`)}
      />
    </dl>
  );
}
