import { both, pageWords } from '../../../translations';
import { perform } from '../../action-dialogs';
import { useModel, useTools } from '../../overlay-context';
import { Choice, Details, LanguageChoice, Loading, Panel, usePreferences } from '../../parts/pieces';
import { joinWithDots, momentText } from '../../wording';
import type { OverlayPage } from '../pages';

const THEMES = ['system', 'light', 'dark'] as const;

/** Language and theme of the overlay, set-up and identity of the kiosk. */
function SettingsPage() {
  const tools = useTools();
  const { strings } = tools;
  const words = wordsOf(strings);
  const home = useModel((model) => model.home);
  const [preferences, prefer] = usePreferences();
  const autostart = home?.actions.find(({ action }) => action === 'autostart');
  const isManaged = home?.settings.managed ?? false;
  return (
    <div className="a-settings a-grid">
      <Panel title={words.display}>
        <p className="a-label">{strings.languageLabel}</p>
        <LanguageChoice />
        <p className="a-label">{words.theme}</p>
        <Choice
          label={words.theme}
          value={preferences?.theme ?? 'system'}
          options={THEMES.map((value) => ({ value, words: words.themes[value] }))}
          onChoose={(theme) => prefer({ theme })}
        />
      </Panel>
      {home === null ? (
        <Loading />
      ) : (
        <>
          <Panel title={strings.actions.autostart.name}>
            <Choice
              label={strings.actions.autostart.name}
              value={home.autostart.on ? 'on' : 'off'}
              options={(['on', 'off'] as const).map((value) => ({ value, words: strings.autostart[value] }))}
              disabled={autostart?.available !== true}
              onChoose={(chosen) => void perform({ action: 'autostart', on: chosen === 'on' }, tools)}
            />
            <p className="a-quiet">
              {home.autostart.by === 'service'
                ? strings.autostart.service
                : autostart?.why === 'managed'
                  ? strings.why.managed
                  : strings.actions.autostart.about}
            </p>
          </Panel>
          <Panel title={isManaged ? strings.managedByFile : strings.actions['set-up'].name}>
            {isManaged && <p>{strings.managedAbout}</p>}
            <p className="a-mono a-break">{home.settings.file ?? words.demoSettings}</p>
            {home.settings.remote !== null && (
              <>
                <p>{home.settings.remote.onTrial ? words.remoteOnTrial : words.remote}</p>
                <Details
                  facts={[
                    { name: words.remoteSettings, value: home.settings.remote.settings.join('  ') },
                    {
                      name: words.remoteSince,
                      value: momentText(home.settings.remote.since, home.at, strings),
                    },
                    { name: words.remoteKey, value: home.settings.remote.by },
                  ]}
                />
              </>
            )}
            {home.settings.problems.map((problem) => (
              <p key={problem} className="a-problem" lang="en">
                {problem}
              </p>
            ))}
          </Panel>
          <Panel title={words.identity} className="a-wide">
            <Details
              facts={[
                { name: strings.player, value: home.kiosk.player ?? strings.none },
                { name: words.hostName, value: home.kiosk.hostName },
                { name: strings.address, value: home.kiosk.addresses.join('  ') || strings.noAddress },
                { name: words.fingerprint, value: home.kiosk.id },
                { name: words.publicKey, value: home.kiosk.publicKey },
                { name: words.environment, value: home.kiosk.environment },
                {
                  name: strings.versions,
                  value: joinWithDots(
                    `Endcap ${home.versions.endcap}`,
                    home.versions.electron && `Electron ${home.versions.electron}`,
                    home.versions.chromium && `Chromium ${home.versions.chromium}`,
                    `Node ${home.versions.node}`,
                  ),
                },
              ]}
            />
          </Panel>
        </>
      )}
    </div>
  );
}

const wordsOf = pageWords({
  name: both('Settings', 'Einstellungen'),
  tab: both('Settings', 'Optionen'),
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
  environment: both('Books', 'Bücher'),
  remote: both(
    'Settings from the fleet’s operator are in force. They override the file.',
    'Es gelten Einstellungen des Betreibers der Flotte. Sie haben Vorrang vor der Datei.',
  ),
  remoteOnTrial: both(
    'Settings of the fleet’s operator are on trial. The kiosk takes them back if it does not play with them.',
    'Einstellungen des Betreibers der Flotte sind auf Probe. Spielt der Kiosk damit nicht, nimmt er sie zurück.',
  ),
  remoteSettings: both('Settings', 'Einstellungen'),
  remoteSince: both('Since', 'Seit'),
  remoteKey: both('Signed by', 'Unterschrieben von'),
  demoSettings: both('Embedded demo: no file', 'Eingebaute Demo: keine Datei'),
});

export const page: OverlayPage = {
  icon: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8v4.4M9 14.8v4.4M4 12h3M11 12h9M9 9.8v4.4',
  words: wordsOf,
  Page: SettingsPage,
};
