import { ActionName, type AdminHome, type AdminShowing } from '../../shared/admin';
import { showingKind } from '../../shared/play';
import { SAFE_START } from '../status/report-kiosk';
import { unusableSettings } from '../status/report-settings';
import type { Status } from '../status/status';
import { BOOKS_FAILING } from '../status/status-board';
import { SERVICE_OPERATIONS } from '../status/status-bounds';
import type { AdminParts } from './admin-parts';
import { timelineOf } from './home-timeline';
import type { Overlay } from './overlay';
import type { RunningKiosk } from './running-kiosk';
import type { SetUp } from './set-up';

interface HomeParts extends Pick<AdminParts, 'preferences' | 'clock' | 'machine' | 'hostName' | 'addresses'> {
  readonly overlay: Pick<Overlay, 'statusBefore' | 'permits'>;
  readonly setUp: Pick<SetUp, 'managed' | 'inUse'>;
}

export type HomeFacts = Awaited<ReturnType<typeof homeFacts>>;

/** Files and beacons have many servers: the last result says nothing of the others. */
const OPERATIONS = SERVICE_OPERATIONS.filter((operation) => operation !== 'media' && operation !== 'beacons');

/** What the home page says, of a kiosk as it is now. */
export const homeFacts = async (
  kiosk: RunningKiosk,
  { overlay, preferences, setUp, clock, machine, ...parts }: HomeParts,
) => ({
  status: kiosk.status(),
  before: overlay.statusBefore(),
  playlist: kiosk.playlist(),
  pictureOf: kiosk.pictureOf,
  mediaProblems: kiosk.mediaProblems(),
  maintenanceUntil: kiosk.maintenance.until(),
  isStoreOpen: kiosk.isStoreOpen(clock.now()),
  timeZone: kiosk.timeZone(),
  volume: preferences.volume() ?? kiosk.settings.playback.volume,
  mayAct: overlay.permits('actor'),
  managed: setUp.managed,
  canChangePin: setUp.inUse,
  canRestartKiosk: machine.restartKiosk !== null,
  canSwitchDisplay: kiosk.switchDisplay !== null,
  autostart: await machine.autostart.read(),
  /** Each start applies it again. */
  isAutostartSet: kiosk.settings.playback.autostart !== null,
  kiosk: {
    id: kiosk.key.fingerprint,
    player: kiosk.player,
    hostName: parts.hostName,
    addresses: [...parts.addresses()],
    publicKey: kiosk.key.publicKey,
    environment: kiosk.environment,
  },
});

/** The answer to "is it working, if not why, what do I do"; the contract drops what it does not name. Pure. */
export function homeOf(facts: HomeFacts): AdminHome {
  const { status, before } = facts;
  const apartFromProblems = stateApartFromProblems(facts);
  const state = status.attention.length > 0 ? 'attention' : apartFromProblems;
  const actions = actionsOf(facts);
  const service = OPERATIONS.map((operation) => ({ operation, ...status.service[operation] }));
  const contacts = service.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []);
  const onStage = before ?? status;
  return {
    state,
    apartFromProblems,
    since: onStage.state === state ? onStage.since : status.since,
    attention: [...status.attention],
    now: showing(onStage.now, facts.pictureOf),
    next: showing(onStage.next, facts.pictureOf),
    // The plays are the present ones, so that the play that the overlay interrupted counts.
    timeline: timelineOf({ ...onStage, plays: status.plays }, status.clock.now),
    service,
    lastContactAt: contacts.length > 0 ? Math.max(...contacts) : null,
    clock: { ...status.clock, timeZone: facts.timeZone },
    playlist: facts.playlist && {
      receivedAt: facts.playlist.receivedAt,
      rejected: status.rejectedAds.rejectedTotal,
      ads: facts.playlist.ads.length,
      eligible: status.tally.eligible,
    },
    storage: {
      mediaFiles: status.media.files,
      mediaBytes: status.media.bytes,
      quotaBytes: status.media.quotaBytes,
      freeBytes: status.media.freeBytes,
      plays: status.books.plays,
      lostPlays: status.books.lost.plays ?? 0,
      problems: facts.mediaProblems,
    },
    display: status.display ? { ...status.display, failing: status.display.problem !== null } : null,
    proof: status.proof ? { ...status.proof, failing: status.proof.lastError !== null } : null,
    link: status.fleet
      ? { ...status.fleet, error: status.fleet.connected ? null : status.fleet.lastError }
      : null,
    kiosk: facts.kiosk,
    versions: status.versions,
    settings: {
      file: status.settings?.file ?? null,
      managed: facts.managed,
      problems: [...(status.settings?.problems ?? [])],
      remote: status.settings?.remote ?? null,
    },
    sound: { volume: facts.volume },
    autostart: facts.autostart,
    maintenanceUntil: facts.maintenanceUntil,
    actions,
    suggestions: [...new Set(likely(facts, state))].filter((action) => actions[action] === null),
  };
}

function stateApartFromProblems(facts: HomeFacts): AdminHome['apartFromProblems'] {
  const { status, before, maintenanceUntil, isStoreOpen } = facts;
  if (maintenanceUntil !== null) return 'paused';
  if (!isStoreOpen) return 'closed';
  if (status.state !== 'held' && status.state !== 'attention') return status.state;
  // The overlay itself holds the loop: show the state from before it opened.
  if (before && before.now === null) return 'starting';
  if (status.fleet?.announcement) return 'held';
  const isOfStore = !['online', 'native'].includes(before?.now?.delivery ?? '');
  if (isOfStore && (status.playlistAt === null || status.tally.eligible === 0)) return 'no-content';
  const { ads } = status.service;
  return ads.failing || ads.lastSuccessAt === null ? 'playing-from-store' : 'playing';
}

const hasProblem = ({ attention }: Status, problem: string) => attention.some(({ code }) => code === problem);

/** A safe start has no network at first: a connection test would blame the store's, and its problem says to wait. */
const isSafeStart = (status: Status) => hasProblem(status, SAFE_START);

/** Not where the problem itself says not to restart. */
const mayCureByRestart = (status: Status) =>
  unusableSettings(status) === null && !isSafeStart(status) && !hasProblem(status, BOOKS_FAILING);

/** The likeliest actions first; unavailable ones are removed later. */
function likely({ status }: HomeFacts, state: AdminHome['state']): ActionName[] {
  const actions: ActionName[] = ['resume'];
  const isFailing = OPERATIONS.some((operation) => status.service[operation].failing);
  if (isFailing || state === 'playing-from-store') actions.push('connection-test', 'refresh');
  if (state === 'no-content' || state === 'starting') actions.push('refresh', 'connection-test');
  if (state === 'attention') actions.push('connection-test');
  if (state === 'attention' && mayCureByRestart(status)) actions.push('restart-player');
  return [...actions, 'pause', 'refresh', 'sound', 'export'];
}

type Reasons = AdminHome['actions'];

function actionsOf(facts: HomeFacts): Reasons {
  const { managed } = facts;
  const { announcement } = facts.status.fleet ?? {};
  const withoutNetwork = isSafeStart(facts.status) ? 'nothing-to-do' : null;
  const isHeldBack = facts.maintenanceUntil !== null || !facts.isStoreOpen || Boolean(announcement);
  const reasons: Partial<Reasons> = {
    resume: facts.maintenanceUntil === null ? 'nothing-to-do' : null,
    skip: isHeldBack ? 'nothing-to-do' : null,
    refresh: withoutNetwork,
    'connection-test': withoutNetwork,
    display: facts.canSwitchDisplay ? null : 'not-here',
    'restart-kiosk': facts.canRestartKiosk ? null : 'not-here',
    'change-pin': managed ? 'managed' : facts.canChangePin ? null : 'not-here',
    'set-up': managed ? 'managed' : null,
    autostart: facts.isAutostartSet || facts.autostart.by === 'service' ? 'managed' : null,
  };
  const whyOf = (action: ActionName) => (facts.mayAct ? (reasons[action] ?? null) : 'locked');
  return Object.fromEntries(ActionName.options.map((action) => [action, whyOf(action)])) as Reasons;
}

function showing(shown: Status['now'], pictureOf: HomeFacts['pictureOf']): AdminShowing | null {
  if (!shown) return null;
  const { adId } = shown;
  return { ...shown, picture: showingKind(shown) === 'ad' && adId !== null ? pictureOf(adId) : null };
}
