import { runProgram } from '../shell/run-program';
import { Speech } from '../speech/speech';
import { headphonesPluggedIn, systemSpeech } from '../speech/system-speech';
import type { Core } from './core';

/** Reads native ads, and what a tap on one led to, to whoever has headphones plugged in (`ui.speech`). */
export function startSpeech({ settings, events, schedule, log }: Core): Speech {
  const { language } = settings.ui;
  const speech = new Speech({
    headphones: () => headphonesPluggedIn(runProgram),
    say: systemSpeech({ language, schedule, log }),
    ...{ language, schedule },
  });
  events.on('stageCommand', (command) => speech.onCommand(command));
  events.on('stageEvent', (event) => speech.onStage(event));
  events.on('linkShown', (frame) => speech.onLink(frame));
  speech.start();
  return speech;
}
