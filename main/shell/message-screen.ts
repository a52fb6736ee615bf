import type { Windows } from './windows';

/** Fills the screen with a message, for a kiosk that cannot work as it is set up. */
export function showMessage(
  message: { readonly title: string; readonly text: string },
  { stage, serviceManager }: Pick<Windows, 'stage' | 'serviceManager'>,
): void {
  stage.listen({
    onEvent(event) {
      if (event.type === 'ready') stage.command({ type: 'message', ...message });
    },
    onLost() {},
    onGuest() {},
    onLink() {},
    onInput() {},
    onVisible() {},
    onDisplay() {},
  });
  serviceManager.describe(() => message.title);
}
