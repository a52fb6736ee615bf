import type { SignalsPage as SignalsAnswer } from '../../../../shared/admin';
import { both, pageWords, plural, template } from '../../../translations';
import { useQuery, useWords } from '../../overlay-context';
import { Details, Panel, QueryView } from '../../parts/pieces';
import { joinWithDots, type Strings } from '../../wording';

const LOOK_AGAIN_MS = 1_000;
const SIGNALS = ['shopper', 'cart', 'weather'] as const;

/** Number and age of the sensors' last signals, never their content, and the interface that hears them. */
export function SignalsPanel() {
  const { strings, words } = useWords(wordsOf);
  return (
    <Panel title={words.name}>
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

function signalText(name: (typeof SIGNALS)[number], page: SignalsAnswer, strings: Strings): string {
  const words = wordsOf(strings);
  const signal = page[name];
  if (signal === null) return joinWithDots(words.noSignal, words.noSignalAbout[name]);
  return joinWithDots(
    words.counted[name](signal.count),
    strings.received(strings.agoText(page.at - signal.ageMs, page.at)),
    words.forgottenIn(strings.waitText(signal.remainingMs)),
  );
}

const wordsOf = pageWords({
  name: both('Signals', 'Signale'),
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
