// The views of the area "Media".
import { Route, Switch } from 'wouter';
import { NotFound } from '../../shell/not-found.tsx';
import { NewDocumentDialog } from '../collections/documents/new-document.tsx';
import { NewDocumentProvider } from '../collections/fields/new-document-context.ts';
import { MediaCollections } from './media-collections.tsx';
import { MediaGrid } from './media-grid.tsx';
import { RecordView } from './record-view.tsx';
import { UploadView } from './upload-view.tsx';

export function MediaArea() {
  return (
    <NewDocumentProvider value={NewDocumentDialog}>
      <Switch>
        <Route path="/" component={MediaCollections} />
        <Route path="/:version/:database/:name">
          {(address) => <MediaGrid key={Object.values(address).join('/')} address={address} />}
        </Route>
        <Route path="/:version/:database/:name/upload">
          {(address) => <UploadView key={Object.values(address).join('/')} address={address} />}
        </Route>
        <Route path="/:version/:database/:name/:id">
          {({ id, ...address }) => <RecordView key={id} address={address} id={id} />}
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </NewDocumentProvider>
  );
}
