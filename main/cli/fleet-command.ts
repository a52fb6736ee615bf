import { type CommandResult, command, plainText, UsageError } from './command-result';
import {
  FLEET_OPTIONS,
  type FleetOptions,
  type FleetProcess,
  type FleetWork,
  readAccess,
  readPrefix,
} from './fleet-arguments';
import { changeBlocks, showBlocks } from './fleet-blocks';
import { COMMAND_SYNTAX } from './fleet-command-syntax';
import { connectToFleet, FLEET_QUIET, type FleetConnection, type FleetQuiet } from './fleet-connection';
import { makeCommandKey } from './fleet-keys';
import { listKiosks } from './fleet-list';
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
                         screen now. --replace: begins with an empty list
                         where the one there is lost or not signed with a
                         known key; of unblock with --all only

  WHOM      a kiosk (16 hex digits), group:NAME or all
  COMMAND   ${Object.values(COMMAND_SYNTAX).join('\n            ')}

  --broker URL           mqtt:, mqtts:, ws: or wss:; again for each further
                         node. Or ENDCAP_FLEET_BROKER
  --username NAME, --password-file FILE, --ca-file FILE, --cert-file FILE,
  --key-file FILE        who you are to the broker
  --prefix PREFIX        first level of the topics, by default endcap
  --sign-key FILE        your key; send, screenshot, block and unblock need it
  --trust-key KEY        public key (ed25519:…) of another operator whose
                         blocks you may change; again for each. blocks needs
                         one of the two

Exit status: 0 done, and with --wait by every kiosk that was online (one that
you name is waited for in any case); 1 not; 2 wrong usage.`;

interface Verb {
  /** Resolves with whether all was done. */
  readonly run: (work: FleetWork) => Promise<boolean>;
  /** Its options besides those of every verb. */
  readonly takes: readonly (keyof FleetOptions)[];
  /** Whether words follow it. */
  readonly hasWords?: true;
}

/** Commands that need a broker. */
const VERBS: Readonly<Record<string, Verb>> = {
  list: { run: listKiosks, takes: ['json'] },
  watch: { run: watchKiosks, takes: ['json'] },
  send: {
    run: sendCommand,
    takes: ['to', 'wait', 'timeout', 'valid', 'json', 'severity', 'language', 'until', 'end'],
    hasWords: true,
  },
  screenshot: { run: takeScreenshots, takes: ['to', 'out', 'width', 'wait', 'timeout', 'valid'] },
  blocks: { run: showBlocks, takes: ['to', 'json'] },
  block: { run: (work) => changeBlocks(work, 'block'), takes: ['to', 'at-once', 'replace'], hasWords: true },
  unblock: {
    run: (work) => changeBlocks(work, 'unblock'),
    takes: ['to', 'at-once', 'replace', 'all'],
    hasWords: true,
  },
};

/** Who the operator is to the broker and to the kiosks: every verb takes these, so that they can be in an alias. */
const OF_EVERY_VERB: readonly (keyof FleetOptions)[] = [
  ...(['broker', 'username', 'password-file', 'ca-file', 'cert-file', 'key-file', 'prefix'] as const),
  ...(['sign-key', 'trust-key'] as const),
];

/** An option that is ignored could be one that the operator relies on, such as `block --valid 1h`. */
function mustTake(verb: string, options: FleetOptions, takes: Verb['takes']): void {
  const known: readonly string[] = [...OF_EVERY_VERB, ...takes];
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong !== undefined) throw new UsageError(`${verb} takes no --${wrong} (--help shows the usage)`);
}

/** Runs `fleet …` with the given streams, clock and environment. Answers are printed as they come. */
export const runFleet = command(
  'fleet',
  FLEET_USAGE,
  FLEET_OPTIONS,
  async ({ words: [verb, ...words], options }, process: FleetProcess, quiet: FleetQuiet = FLEET_QUIET) => {
    if (verb === 'keys') return keys(words, options);
    const known = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (verb === undefined || known === undefined) {
      const got = verb === undefined ? 'nothing' : JSON.stringify(verb);
      const expected = `keys, ${Object.keys(VERBS).join(', ')}`;
      throw new UsageError(`expected ${expected}, got ${got} (--help shows the usage)`);
    }
    mustTake(verb, options, known.takes);
    // A word that is ignored could be one that the operator relies on, such as `list group:north`.
    if (words.length > 0 && known.hasWords !== true)
      throw new UsageError(
        `${verb}: expected options only, got ${JSON.stringify(words.join(' '))} (--help shows the usage)`,
      );
    const prefix = readPrefix(options);
    const access = await readAccess(options, process.env);
    const open: FleetConnection[] = [];
    const connect = async () => {
      const fleet = await connectToFleet(access, quiet, process.ended);
      open.push(fleet);
      return fleet;
    };
    try {
      const isDone = await known.run({ connect, prefix, args: { words, options }, process, quiet });
      return { exitCode: isDone ? 0 : 1, stdout: '', stderr: '' };
    } finally {
      for (const fleet of open) await fleet.close();
    }
  },
);

async function keys(words: readonly string[], options: FleetOptions): Promise<CommandResult> {
  mustTake('keys', options, []);
  const [file, ...more] = words;
  if (file === undefined || more.length > 0)
    throw new UsageError(`keys: expected the file for the new key, got ${words.length} words`);
  const { publicKey } = await makeCommandKey(file);
  // On standard error, so that the line alone can be piped.
  const next = `${file} is your key: copy it to no kiosk. Add the line that is printed to fleet.commandKeys of the kiosks`;
  return { exitCode: 0, stdout: `${publicKey}\n`, stderr: `fleet: ${plainText(next, 5_000)}\n` };
}
