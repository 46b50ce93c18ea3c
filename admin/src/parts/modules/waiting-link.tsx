// Tells reviewers, wherever they are, how many versions wait for them.
import { Link } from 'wouter';
import { useCodeRights } from './module-queries.ts';
import { useWaitingVersions } from './review-queries.ts';

interface WaitingLinkProps {
  readonly className: string;
}

export function WaitingLink({ className }: WaitingLinkProps) {
  const { mayApprove } = useCodeRights();
  const count = useWaitingVersions(mayApprove).data?.length ?? 0;
  if (count === 0) return null;
  return (
    <Link href="/endpoints/review" className={className}>
      {count === 1 ? '1 version waits' : `${count} versions wait`}
    </Link>
  );
}
