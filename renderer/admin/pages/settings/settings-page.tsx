import type { AdminHome, SignalsPage } from '../../../../shared/admin';
import { both, pageWords, plural, template } from '../../../translations';
import { perform } from '../../action-dialogs';
import { useModel, useQuery, useTools, useWords } from '../../overlay-context';
import { Choice, Details, LanguageChoice, Panel, QueryView } from '../../parts/pieces';
import { joinWithDots, type Strings } from '../../wording';
import type { OverlayPage } from '../pages';

const LOOK_AGAIN_MS = 1_000;
const SIGNALS = ['shopper', 'cart', 'weather'] as const;

/** Language and theme of the overlay, sensors, set-up and identity of the kiosk. */
function SettingsPage() {
  const home = useModel((model) => model.home);
  return (
    <div className="a-sides a-grid">
      <div className="a-column">
        <Preferences />
        {home && <Autostart home={home} />}
        <Signals />
      </div>
      {home && (
        <div className="a-column">
          <SettingsFile home={home} />
          <Identity home={home} />
        </div>
      )}
    </div>
  );
}

function Preferences() {
  const { call, strings, words } = useWords(wordsOf);
  const theme = useModel(({ state }) => state?.preferences.theme ?? 'system');
  return (
    <Panel title={words.display}>
      <p className="a-label">{strings.languageLabel}</p>
      <LanguageChoice />
      <p className="a-label">{words.theme}</p>
      <Choice
        label={words.theme}
        value={theme}
        options={words.themes}
        onChoose={(theme) => void call('setPreferences', { theme })}
      />
    </Panel>
  );
}

function Autostart({ home: { actions, autostart } }: { home: AdminHome }) {
  const tools = useTools();
  const { actions: names, onOff, why, autostartService } = tools.strings;
  const { name, about } = names.autostart;
  const note = actions.autostart === 'managed' ? why.managed : about;
  return (
    <Panel title={name}>
      <Choice
        label={name}
        value={autostart.on ? 'on' : 'off'}
        options={onOff}
        disabled={actions.autostart !== null}
        onChoose={(chosen) => void perform({ action: 'autostart', on: chosen === 'on' }, tools)}
      />
      <p className="a-quiet">{autostart.by === 'service' ? autostartService : note}</p>
    </Panel>
  );
}

/** Number and age of the sensors' last signals, never their content, and the interface that hears them. */
function Signals() {
  const { strings, words } = useWords(wordsOf);
  return (
    <Panel title={words.signals}>
      <QueryView answer={useQuery('signals', null, LOOK_AGAIN_MS)}>
        {(answer) => {
          const { url, problem } = answer.server;
          const signals = SIGNALS.map((name) => ({
            name: words[name],
            value: signalText(name, answer, strings),
          }));
          const server = { name: words.signalsServer, value: url ?? words.notRunning };
          return (
            <>
              <Details facts={[...signals, server]} />
              {problem !== null && (
                <p className="a-problem" lang="en">
                  {problem}
                </p>
              )}
              <p className="a-quiet">{words.signalsPrivacy}</p>
            </>
          );
        }}
      </QueryView>
    </Panel>
  );
}

function signalText(name: (typeof SIGNALS)[number], page: SignalsPage, strings: Strings): string {
  const words = wordsOf(strings);
  const signal = page[name];
  if (signal === null) return joinWithDots(words.noSignal, words.noSignalAbout[name]);
  return joinWithDots(
    words.counted[name](signal.count),
    strings.received(strings.agoText(page.at - signal.ageMs, page.at)),
    words.forgottenIn(strings.waitText(signal.remainingMs)),
  );
}

function Identity({ home: { kiosk, versions } }: { home: AdminHome }) {
  const { strings, words } = useWords(wordsOf);
  const { endcap, electron, chromium, node } = versions;
  return (
    <Panel title={words.identity}>
      <Details
        facts={[
          { name: strings.player, value: kiosk.player ?? strings.none },
          { name: words.hostName, value: kiosk.hostName },
          { name: strings.address, value: kiosk.addresses.join('  ') || strings.noAddress },
          { name: words.fingerprint, value: kiosk.id },
          { name: words.publicKey, value: kiosk.publicKey },
          { name: words.environment, value: kiosk.environment },
          {
            name: strings.versions,
            value: joinWithDots(
              `Endcap ${endcap}`,
              electron && `Electron ${electron}`,
              chromium && `Chromium ${chromium}`,
              `Node ${node}`,
            ),
          },
        ]}
      />
    </Panel>
  );
}

/** Where the settings come from, and which of them the fleet's operator changed. */
function SettingsFile({ home: { clock, settings } }: { home: AdminHome }) {
  const { strings, words } = useWords(wordsOf);
  const { file, managed, problems, remote } = settings;
  return (
    <Panel title={managed ? strings.managedByFile : strings.actions['set-up'].name}>
      {managed && <p>{strings.managedAbout}</p>}
      <p className="a-mono a-break">{file ?? words.demoSettings}</p>
      {remote !== null && (
        <>
          <p>{remote.onTrial ? words.remoteOnTrial : words.remote}</p>
          <Details
            facts={[
              { name: words.settings, value: remote.settings.join('  ') },
              { name: words.remoteSince, value: strings.momentText(remote.since, clock.now) },
              { name: words.remoteKey, value: remote.by },
            ]}
          />
        </>
      )}
      {problems.map((problem) => (
        <p key={problem} className="a-problem" lang="en">
          {problem}
        </p>
      ))}
    </Panel>
  );
}

const wordsOf = pageWords({
  name: both('Settings', 'Optionen'),
  settings: both('Settings', 'Einstellungen'),
  display: both('Display', 'Anzeige'),
  theme: both('Appearance', 'Darstellung'),
  themes: both(
    { system: 'Automatic', light: 'Light', dark: 'Dark' },
    { system: 'Automatisch', light: 'Hell', dark: 'Dunkel' },
  ),
  identity: both('This kiosk', 'Dieser Kiosk'),
  fingerprint: both('Fingerprint', 'Fingerabdruck'),
  publicKey: both('Public key for verify-plays', 'Öffentlicher Schlüssel für verify-plays'),
  hostName: both('Host name', 'Gerätename'),
  environment: both('Books', 'Aufzeichnungen'),
  remote: both(
    'Settings from the fleet’s operator are in force. They override the file.',
    'Es gelten Einstellungen des Betreibers der Flotte. Sie haben Vorrang vor der Datei.',
  ),
  remoteOnTrial: both(
    'Settings of the fleet’s operator are on trial. The kiosk takes them back if it does not play with them.',
    'Einstellungen des Betreibers der Flotte sind auf Probe. Spielt der Kiosk damit nicht, nimmt er sie zurück.',
  ),
  remoteSince: both('Since', 'Seit'),
  remoteKey: both('Signed by', 'Signiert von'),
  demoSettings: both('Embedded demo: no file', 'Eingebaute Demo: keine Datei'),
  signals: both('Signals', 'Signale'),
  noSignal: both('No signal', 'Kein Signal'),
  noSignalAbout: {
    shopper: both('Ads for certain people do not play.', 'Werbung für bestimmte Personen läuft nicht.'),
    cart: both('Ads for certain carts do not play.', 'Werbung für bestimmte Warenkörbe läuft nicht.'),
    weather: both('Ads for certain weather do not play.', 'Werbung für bestimmtes Wetter läuft nicht.'),
  },
  counted: {
    shopper: plural(['1 person', '{n} people'], ['1 Person', '{n} Personen']),
    cart: plural(['1 entry', '{n} entries'], ['1 Eintrag', '{n} Einträge']),
    weather: plural(['1 kind', '{n} kinds'], ['1 Art', '{n} Arten']),
  },
  forgottenIn: template('expires in {span}', 'verfällt in {span}'),
  signalsPrivacy: both(
    'Age, gender and cart are never shown or stored, and sent only if the operator’s settings allow it. How many people were counted is stored with each play.',
    'Alter, Geschlecht und Warenkorb werden nie gezeigt oder gespeichert und nur gesendet, wenn die Einstellungen des Betreibers es erlauben. Zu jeder Einblendung wird gespeichert, wie viele Personen gezählt wurden.',
  ),
  signalsServer: both('Local interface for sensors', 'Lokale Schnittstelle für Sensoren'),
  notRunning: both('Not running', 'Läuft nicht'),
  shopper: both('Shopper', 'Kunden'),
  cart: both('Cart', 'Warenkorb'),
  weather: both('Weather', 'Wetter'),
});

export const page: OverlayPage = {
  icon: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4M4 12h3M11 12h9M9 9.8v4.4',
  words: wordsOf,
  Page: SettingsPage,
};
