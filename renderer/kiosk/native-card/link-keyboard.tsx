import { type KeyboardField, type LinkEvent, PageKey } from '../../../shared/link';
import { Keyboard } from '../../keyboard/keyboard';
import { stringsFor } from './strings';

/** The keyboard for a field of the page. It lies between the page and the back button, and covers neither. */
export function LinkKeyboard({
  field,
  language,
  emit,
}: {
  field: KeyboardField;
  language: string;
  emit: (event: LinkEvent) => void;
}) {
  return (
    <Keyboard
      className="link-keyboard"
      use={{ field, last: 'enter' }}
      language={stringsFor(language).language}
      onPress={(key) => {
        const felt = PageKey.safeParse(key);
        if (felt.success) emit({ type: 'key', key: felt.data });
        else if (key.kind === 'hide') emit({ type: 'hideKeyboard' });
      }}
    />
  );
}
