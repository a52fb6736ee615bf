import { useState } from 'react';
import type { SetUpPage } from '../../shared/admin';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { useQuery, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Button, QueryView } from './parts/pieces';
import { SetUpForm, useSetUp } from './set-up-form';
import { FIELD_STEPS } from './set-up-steps';

const ALL_FIELDS = FIELD_STEPS.flat();

/** The set-up of a kiosk that has settings: everything on one page. */
export function SetUpDialog({ onClose }: { onClose: () => void }) {
  const { strings } = useTools();
  const answer = useQuery('setUp', null, null);
  return (
    <Dialog title={strings.actions['set-up'].name} onClose={onClose} wide>
      <QueryView answer={answer}>{(page) => <ChangeSetUp page={page} onClose={onClose} />}</QueryView>
    </Dialog>
  );
}

function ChangeSetUp({ page, onClose }: { page: SetUpPage; onClose: () => void }) {
  const { strings, showMessage } = useTools();
  const [isChoosingPin, setChoosingPin] = useState(false);
  const setUp = useSetUp(
    page,
    () => setChoosingPin(false),
    () => {
      showMessage({ tone: 'good', text: strings.saved });
      onClose();
    },
  );
  if (isChoosingPin) return <ChoosePin onChosen={setUp.save} />;
  const isTesting = setUp.test === 'running';
  return (
    <>
      <SetUpForm setUp={setUp} fields={ALL_FIELDS} />
      {setUp.test !== 'untried' && <ConnectionSteps running={isTesting} />}
      <div className="a-dialog-buttons a-wrap">
        <Button
          icon="connection-test"
          disabled={isTesting}
          onClick={() => setUp.check(ALL_FIELDS) && void setUp.runTest()}
        >
          {strings.runTest}
        </Button>
        <Button
          kind="main"
          disabled={setUp.isSaving}
          onClick={() => {
            if (!setUp.check(ALL_FIELDS)) return;
            if (page.has.pin) void setUp.save(null);
            else setChoosingPin(true);
          }}
        >
          {strings.saveChanges}
        </Button>
      </div>
    </>
  );
}
