import type { ActionName } from '../../../shared/admin';
import { LanguageChoice, usePreferences } from '../language-choice';
import { useModel, useTools } from '../overlay-context';
import { Button, Choice, Panel, Skeleton } from '../parts/pieces';
import { perform } from '../undertakings';

const THEMES = ['system', 'light', 'dark'] as const;

/** How this looks and speaks, how the kiosk is set up, and whose it is. */
export function SettingsPage() {
  const { strings, begin, calls, say } = useTools();
  const home = useModel((model) => model.home);
  const [preferences, prefer] = usePreferences();
  const told = (action: ActionName) => home?.actions.find((one) => one.action === action);
  const isManaged = home?.settings.managed ?? false;
  return (
    <div className="a-settings">
      <Panel title={strings.display}>
        <p className="a-label">{strings.languageLabel}</p>
        <LanguageChoice />
        <p className="a-label">{strings.theme}</p>
        <Choice
          label={strings.theme}
          value={preferences?.theme ?? 'system'}
          options={THEMES.map((value) => ({ value, words: strings.themes[value] }))}
          onChoose={(theme) => prefer({ theme })}
        />
      </Panel>
      {home === null ? (
        <Skeleton lines={8} />
      ) : (
        <>
          <Panel title={strings.actions.autostart.name}>
            <Choice
              label={strings.actions.autostart.name}
              value={home.autostart.on ? 'on' : 'off'}
              options={(['on', 'off'] as const).map((value) => ({ value, words: strings.autostart[value] }))}
              disabled={told('autostart')?.available !== true}
              onChoose={(chosen) =>
                void perform({ action: 'autostart', on: chosen === 'on' }, { calls, say, strings })
              }
            />
            <p className="a-quiet">
              {home.autostart.by === 'service' ? strings.autostart.service : strings.actions.autostart.about}
            </p>
          </Panel>
          <Panel title={isManaged ? strings.managedByFile : strings.setUp}>
            {isManaged && <p>{strings.managedAbout}</p>}
            <p className="a-mono a-break">{home.settings.file ?? strings.demoSettings}</p>
            {home.settings.problems.map((problem) => (
              <p key={problem} className="a-problem" lang="en">
                {problem}
              </p>
            ))}
            <div className="a-buttons">
              {(['set-up', 'change-pin', 'connection-test'] as const).map((action) => {
                const known = told(action);
                const why = known?.why ?? null;
                return (
                  <div key={action} className="a-explained">
                    <Button icon={action} disabled={known?.available !== true} onPress={() => begin(action)}>
                      {strings.actions[action].name}
                    </Button>
                    {why !== null && <span className="a-quiet">{strings.why[why]}</span>}
                  </div>
                );
              })}
            </div>
          </Panel>
          <Panel title={strings.identity} className="a-wide">
            <dl className="a-details">
              {(
                [
                  [strings.player, home.kiosk.player],
                  [strings.hostName, home.kiosk.hostName],
                  [strings.address, home.kiosk.addresses.join('  ') || strings.noAddress],
                  [strings.fingerprint, home.kiosk.id],
                  [strings.publicKey, home.kiosk.publicKey],
                  [strings.environment, home.kiosk.environment],
                  [
                    strings.versions,
                    [
                      `Endcap ${home.versions.endcap}`,
                      home.versions.electron === null ? null : `Electron ${home.versions.electron}`,
                      home.versions.chromium === null ? null : `Chromium ${home.versions.chromium}`,
                      `Node ${home.versions.node}`,
                    ]
                      .filter((words) => words !== null)
                      .join(' · '),
                  ],
                ] as const
              ).map(([name, value]) => (
                <div key={name} className="a-detail">
                  <dt>{name}</dt>
                  <dd className="a-break">{value ?? strings.none}</dd>
                </div>
              ))}
            </dl>
          </Panel>
        </>
      )}
    </div>
  );
}
