import { join } from 'node:path';
import type { FleetActions } from '../admin/kiosk-pages';
import { ownAddresses } from '../egress/own-networks';
import { carryOut } from '../fleet/link/carry-out';
import { createCommandHandler } from '../fleet/link/command-handler';
import { withoutResult } from '../fleet/link/commands';
import { announceToHomeAssistant, discoveryDocument } from '../fleet/link/home-assistant';
import { startFleetLink } from '../fleet/link/link';
import { createPublisher } from '../fleet/link/publisher';
import { reportLink } from '../fleet/link/report-link';
import { openSeenCommands } from '../fleet/link/seen-commands';
import { addresseesOf, fleetTopics } from '../fleet/link/topics';
import { waitForTrust } from '../fleet/link/wait-for-trust';
import type { SigningKey } from '../fleet/signing-key';
import { whyDiskFull } from '../records/open-books';
import { answerTo, type RemoteTrials, startRemoteTrials } from '../settings/remote/remote-trials';
import { whyRestartFails } from '../settings/settings-watch';
import { hardware } from '../shell/hardware';
import { isEnding } from '../shell/kiosk-end';
import { versions } from '../shell/this-machine';
import type { Core, FoundRemote } from './core';
import type { Decisions } from './decisions';

/** Starts the parts for a fleet. Remote settings on trial (rule 30) are judged even without a broker. */
export async function joinFleet(
  core: Core,
  found: FoundRemote,
  decisions: Decisions,
  key: SigningKey,
  actions: FleetActions,
  askService: () => void,
): Promise<void> {
  const { settings, events, log } = core;
  const trials = startRemoteTrials({
    ...core,
    ...found,
    kiosk: key.fingerprint,
    onScreen: decisions.board.told,
    restart: (by) =>
      void actions
        .act({ action: 'restart-player' }, by)
        .catch((error: unknown) => log.warn('the player is ending already', { error })),
    changed: () => events.emit('remoteSettingsChanged'),
  });
  events.on('playback', trials.onPlayerFact);
  if (settings.fleet.brokers.length > 0)
    await startLiveLink(core, decisions, key, actions, trials, askService);
}

/** The live link to `fleet.brokers`; it begins to connect once the network may be used (rule 25). */
async function startLiveLink(
  core: Core,
  { network, board, blocks, announcement }: Decisions,
  key: SigningKey,
  actions: FleetActions,
  remote: RemoteTrials,
  askService: () => void,
): Promise<void> {
  const { found, settings, windows, dataDirectory, clock, schedule, lifecycle, events, log } = core;
  const { fleet, store } = settings;
  const kiosk = key.fingerprint;
  const addressees = addresseesOf(kiosk, fleet.groups);
  blocks.keepOnly(addressees);
  const report = reportLink(board.tell, clock, blocks, announcement);
  blocks.onChange(report.look);
  announcement.onChange(report.look);
  const publisher = createPublisher({
    schedule,
    monotonic: clock.monotonic,
    tell(topic, result, why) {
      board.tell({ kind: 'fleet-message', result });
      if (result !== 'dropped') report.published(topic, result === 'sent', why);
    },
  });
  const visit = { isOpen: false };
  // Emitted every second while the link view is open.
  events.on('linkShown', (frame) => {
    visit.isOpen = frame?.kind === 'page';
  });
  const topics = fleetTopics(fleet.topicPrefix, kiosk);
  const trustedSeconds = () => (clock.isTrusted() ? clock.now() / 1_000 : null);
  const trust = waitForTrust({ clock, schedule, askService });
  const commandHandler = createCommandHandler({
    ...core,
    kiosk,
    blocks,
    keys: fleet.commandKeys,
    isAddressed: (aud) => addressees.some((own) => own === aud),
    seen: await openSeenCommands(join(dataDirectory, 'fleet-commands.ndjson'), trustedSeconds, log),
    isTimeTrusted: clock.isTrusted,
    timeIsTrusted: trust.timeIsTrusted,
    carryOut: carryOut({
      ...actions,
      announcement,
      schedule,
      now: clock.now,
      picture: windows.stage.picture,
      isDisplayOn: windows.stage.isDisplayOn,
      isVisited: () => visit.isOpen,
      whyRestartFails: () => whyRestartFails(found.search),
      whyDiskFull: () => whyDiskFull(dataDirectory),
      settings: remote.take,
    }),
    answer: (message, onSent) =>
      publisher.answer(topics.reply, message, { onSent, shorter: withoutResult(message) }),
    record: actions.record,
    tell: (command, outcome) => board.tell({ kind: 'fleet-command', command, outcome }),
  });
  remote.onEnded((ending) => {
    const { jti, by } = ending;
    commandHandler.finish(
      { jti, by, name: 'settings', outcome: answerTo(ending) },
      () => void remote.markAnswered(jti),
    );
  });
  const machine = () => ({ ...hardware(), addresses: ownAddresses(), versions: { ...versions } });
  const publishingKiosk = { kiosk, store, groups: fleet.groups, versions };
  const announce = announceToHomeAssistant({
    isOn: fleet.homeAssistant,
    note: join(dataDirectory, 'home-assistant.json'),
    log,
    kiosk,
    document: () => discoveryDocument(publishingKiosk, topics, hardware().hostName),
  });
  const parts = {
    ...core,
    ...fleet,
    announceToHomeAssistant: announce,
    machine,
    publishingKiosk,
    publisher,
    commandHandler,
    onConnected: trust.connected,
    report,
    blocks,
    announcement,
    addressees,
    open: network.egress.connectionsTo(fleet.clientCertificate),
    publicKey: key.publicKey,
    told: board.told,
    correctionMs: () => clock.now() - clock.systemNow(),
    tell: board.tell,
  };
  void network.gate.opened.then(() => {
    if (!isEnding()) lifecycle.keep(startFleetLink(parts));
  });
}
