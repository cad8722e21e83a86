import type { Body, Sent } from '../../client/api.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Dialog } from '../parts/dialog.tsx';
import { WhenReady } from '../parts/states.tsx';
import { PlanReview } from './plan-review.tsx';

interface PlanDialogProps {
  readonly title: string;
  readonly request: Sent<NonNullable<Body<'POST /api/plans'>['request']>>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks what a request would do, and shows it before anything is done. */
export function PlanDialog({ title, request, onClose, onDone }: PlanDialogProps) {
  const { asked, again } = useAnswer('POST /api/plans', { body: { request } });
  return (
    <Dialog title={title} onClose={onClose}>
      <WhenReady asked={asked} again={again} what="what would go">
        {(plan) => <PlanReview plan={plan} onDone={onDone} />}
      </WhenReady>
      <form method="dialog" class="closing">
        <button>Cancel</button>
      </form>
    </Dialog>
  );
}
