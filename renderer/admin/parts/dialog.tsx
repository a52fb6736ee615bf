import { type ReactNode, useEffect, useId } from 'react';
import { createPortal } from 'react-dom';
import { useFocusOnEntry, useKeys, useTools } from '../overlay-context';
import { Button } from './pieces';

/** Where dialogs are drawn: inside the overlay, so that they turn with the screen. */
export const DIALOGS = 'a-dialogs';

/** The page ignores touches for this long after a dialog closed: they may be the second half of a double tap. */
const SETTLING_MS = 400;

/** Makes the page of the overlay ignore touches for `ms`. */
export function ignoreTouches(page: Element | null | undefined, ms: number): void {
  page?.toggleAttribute('data-settling', true);
  setTimeout(() => page?.toggleAttribute('data-settling', false), ms);
}

export function isDialogOpen(): boolean {
  return (document.getElementById(DIALOGS)?.childElementCount ?? 0) > 0;
}

interface DialogProps {
  readonly title: string;
  readonly about?: string | undefined;
  /** Whether it asks something that should be thought over. */
  readonly isAlert?: boolean;
  /** Whether a press beside it, which also hides a keyboard, does not close it: what was typed would be lost. */
  readonly isForm?: boolean;
  readonly onClose: () => void;
}

/** A dialog above the page, which is inert meanwhile. Escape and, save for a form, a press beside it call `onClose`. */
export function Dialog(dialog: DialogProps & { children: ReactNode }) {
  const { title, about, isAlert, isForm, children, onClose } = dialog;
  const { strings } = useTools();
  const words = useId();
  const place = document.getElementById(DIALOGS);
  useEffect(() => {
    const below = place?.previousElementSibling;
    below?.toggleAttribute('inert', true);
    return () => {
      below?.toggleAttribute('inert', false);
      ignoreTouches(below, SETTLING_MS);
    };
  }, [place]);
  // After that effect: the page takes the focus back only once it is no longer inert.
  const box = useFocusOnEntry<HTMLDivElement>();
  // The pressed element may be gone or disabled, and has then lost the focus.
  useEffect(() => {
    if (!box.current?.contains(document.activeElement)) box.current?.focus({ preventScroll: true });
  });
  useKeys((event) => {
    if (event.key === 'Escape') onClose();
  });
  if (place === null) return null;
  return createPortal(
    <div
      className="a-dialog-ground a-centre a-fill"
      onPointerDown={(event) => {
        if (event.target === event.currentTarget && !isForm) onClose();
      }}
    >
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: its role is one of two, both of a dialog. */}
      <div
        ref={box}
        className="a-dialog a-column a-scroll"
        role={isAlert ? 'alertdialog' : 'dialog'}
        aria-modal="true"
        aria-label={title}
        aria-describedby={about === undefined ? undefined : words}
        tabIndex={-1}
      >
        <div className="a-line">
          <h2 className="a-title a-grow a-break">{title}</h2>
          <Button kind="ghost" icon="close" aria-label={strings.close} onClick={onClose} />
        </div>
        {about !== undefined && (
          <p id={words} className="a-quiet">
            {about}
          </p>
        )}
        {children}
      </div>
    </div>,
    place,
  );
}

/** Asks something, with one button for each choice; a choice closes the dialog. */
export function AskDialog({
  choices,
  ...dialog
}: DialogProps & { choices: ReadonlyArray<readonly [words: string, onChoose: () => void]> }) {
  const { strings } = useTools();
  const { isAlert, onClose } = dialog;
  return (
    <Dialog {...dialog}>
      <div className="a-choices a-grid">
        {isAlert && <Button onClick={onClose}>{strings.cancel}</Button>}
        {choices.map(([words, onChoose]) => (
          <Button
            key={words}
            kind={isAlert ? 'danger' : 'plain'}
            onClick={() => {
              onClose();
              onChoose();
            }}
          >
            {words}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
