import { z } from 'zod';
import { plain } from '../../shared/plain';
import { jsonOf } from '../whole-file';

/** What `pactl -f json list sinks` prints of each output, as far as it matters here. */
const Sinks = z.array(
  z.object({
    name: plain.text,
    active_port: plain.textOrNull.optional(),
    ports: z
      .array(
        z.object({
          name: plain.text,
          type: plain.text.optional(),
          /** `available`, `not available`, or `availability unknown`. */
          availability: plain.text.optional(),
        }),
      )
      .optional(),
  }),
);

/**
 * Whether something is in the headphone socket of the default output, by the sound server's own list of outputs; null:
 * the text is no such list.
 */
export function headphonesOfSinks(json: string, defaultSink: string): boolean | null {
  const sinks = Sinks.safeParse(jsonOf(json));
  if (!sinks.success) return null;
  const sink = sinks.data.find(({ name }) => name === defaultSink);
  return (sink?.ports ?? []).some(
    ({ name, type = '', availability }) =>
      name === sink?.active_port &&
      /headphones|headset/i.test(`${name} ${type}`) &&
      availability === 'available',
  );
}

/** Not a socket for headphones; Linux names a socket that it cannot detect a plug in `… Phantom Jack`, always on. */
const NO_HEADPHONES = /Phantom|(?<!Headphone )Mic/i;

/**
 * The same by the output of `amixer -c CARD contents`, which has a switch for each socket; null: the card
 * reports no socket.
 */
export function headphonesOfCard(contents: string): boolean | null {
  const sockets = contents.split(/^(?=numid=)/m).filter((control) => {
    const name = /iface=CARD,name='([^']*Head(?:phone|set)[^']* Jack)'/i.exec(control)?.[1];
    return name !== undefined && !NO_HEADPHONES.test(name);
  });
  if (sockets.length === 0) return null;
  return sockets.some((control) => /^\s*: values=on\b/m.test(control));
}
