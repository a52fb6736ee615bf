import { type CommandResult, command, printed, UsageError } from './command-result';
import { type FleetWork, readAccess, readFleetArguments, readPrefix } from './fleet-arguments';
import { changeBlocks, showBlocks } from './fleet-blocks';
import { COMMAND_SYNTAX } from './fleet-command-syntax';
import { connectToFleet, FLEET_QUIET, type FleetConnection, type FleetQuiet } from './fleet-connection';
import { makeCommandKey } from './fleet-keys';
import { listKiosks } from './fleet-list';
import type { FleetProcess } from './fleet-process';
import { takeScreenshots } from './fleet-screenshots';
import { sendCommand } from './fleet-send';
import { watchKiosks } from './fleet-watch';

const FLEET_USAGE = `Usage: fleet COMMAND … --broker URL

Shows the kiosks of a fleet, and acts on them, over the MQTT broker that they
are connected to. No kiosk and no display is needed on this machine.

  keys FILE              makes a key for commands, and prints the line for
                         "fleet.commandKeys" of the kiosks' settings
  list [--json]          all kiosks: on a terminal until Ctrl+C, else once
  watch [--json]         a line for each change
  send COMMAND --to WHOM [--wait [--timeout 30s]] [--valid 5m] [--json]
                         --wait: prints the answers; without it the command
                         ends when the broker has accepted it. --valid: how
                         long kiosks that are offline still obey, at most 7d
  screenshot --to WHOM --out DIR [--width 480] [--timeout 30s]
                         writes DIR/KIOSK.jpg
  blocks --to WHOM       what may not be shown
  block THING … --to WHOM [--at-once]
  unblock THING …|--all --to WHOM
                         THING: flight:ID, campaign:ID, source:ID, ad:ID,
                         sha256:HEX or url:URL. --at-once: also what is on the
                         screen now. --replace: begins a new list where the
                         one there is lost or not signed with a known key

  WHOM      a kiosk (16 hex digits), group:NAME or all
  COMMAND   ${Object.values(COMMAND_SYNTAX).join('\n            ')}

  --broker URL           mqtt:, mqtts:, ws: or wss:; again for each further
                         node. Or ENDCAP_FLEET_BROKER
  --username NAME, --password-file FILE, --ca-file FILE, --cert-file FILE,
  --key-file FILE        who you are to the broker
  --prefix PREFIX        first level of the topics, by default endcap
  --sign-key FILE        your key; send, screenshot, block and unblock need it
  --trust-key KEY        public key (ed25519:…) of another operator whose
                         blocks you may change; again for each

Exit status: 0 done, and with --wait by all; 1 not; 2 wrong usage.`;

/** Commands that need a broker; each resolves with whether all was done. */
const WORK: Readonly<Record<string, (work: FleetWork) => Promise<boolean>>> = {
  list: listKiosks,
  watch: watchKiosks,
  send: sendCommand,
  screenshot: takeScreenshots,
  blocks: showBlocks,
  block: (work) => changeBlocks(work, 'block'),
  unblock: (work) => changeBlocks(work, 'unblock'),
};

/** Runs `fleet …` with the given streams, clock and environment. Answers are printed as they come. */
export const runFleet = command(
  'fleet',
  FLEET_USAGE,
  async (args, process: FleetProcess, quiet: FleetQuiet = FLEET_QUIET) => {
    const read = readFleetArguments(args);
    if (read.options.help === true) return printed(`${FLEET_USAGE}\n`);
    if (read.verb === 'keys') return keys(read.words);
    const work = read.verb !== undefined && Object.hasOwn(WORK, read.verb) ? WORK[read.verb] : undefined;
    if (work === undefined) {
      const got = read.verb === undefined ? 'nothing' : JSON.stringify(read.verb);
      const expected = `keys, ${Object.keys(WORK).join(', ')}`;
      throw new UsageError(`expected ${expected}, got ${got} (--help shows the usage)`);
    }
    const prefix = readPrefix(read.options);
    const access = await readAccess(read.options, process.env);
    const open: FleetConnection[] = [];
    const connect = async () => {
      const fleet = await connectToFleet(access, quiet);
      open.push(fleet);
      return fleet;
    };
    try {
      const isDone = await work({ connect, prefix, args: read, process, quiet });
      return { exitCode: isDone ? 0 : 1, stdout: '', stderr: '' };
    } finally {
      for (const fleet of open) await fleet.close();
    }
  },
);

async function keys(words: readonly string[]): Promise<CommandResult> {
  const [file, ...more] = words;
  if (file === undefined || more.length > 0)
    throw new UsageError(`keys: expected the file for the new key, got ${words.length} words`);
  const { publicKey } = await makeCommandKey(file);
  return printed(`${publicKey}\n`);
}
