package dev.rialto.dist.site;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.commonmark.renderer.text.TextContentRenderer;

/**
 * Renders Markdown of the tree. Links to other files of the tree become links to their pages, and
 * drawings become part of the page, so that they follow its colours.
 */
final class Markdown {
  private static final List<Extension> EXTENSIONS =
      List.of(TablesExtension.create(), HeadingAnchorExtension.create());

  private final Parser parser = Parser.builder().extensions(EXTENSIONS).build();
  private final HtmlRenderer html = HtmlRenderer.builder().extensions(EXTENSIONS).build();
  private final Places places;

  Markdown(Places places) {
    this.places = places;
  }

  Page page(Path file) throws IOException {
    Node document = parser.parse(Files.readString(file));
    Rewriter rewriter = new Rewriter(file);
    document.accept(rewriter);
    // What is wider than a phone scrolls by itself, for the keyboard too.
    String body =
        html.render(document)
            .replace("<table>", "<div class=\"scroll\" tabindex=\"0\"><table>")
            .replace("</table>", "</table></div>")
            .replace("<pre>", "<pre tabindex=\"0\">");
    return new Page(rewriter.title, body, rewriter.files);
  }

  private final class Rewriter extends AbstractVisitor {
    private final Path file;
    private final Set<Path> files = new HashSet<>();
    private String title = "Rialto";

    Rewriter(Path file) {
      this.file = file;
    }

    @Override
    public void visit(Heading heading) {
      if (heading.getLevel() == 1) {
        title = TextContentRenderer.builder().build().render(heading);
      }
      visitChildren(heading);
    }

    @Override
    public void visit(Link link) {
      URI address = URI.create(link.getDestination());
      if (!address.isAbsolute() && address.getPath() != null && !address.getPath().isEmpty()) {
        Path target = places.target(file, address.getPath());
        if (target != null) {
          files.add(target);
          String fragment = address.getFragment();
          link.setDestination(
              Places.relative(places.of(file), places.of(target))
                  + (fragment == null ? "" : "#" + fragment));
        }
      }
      visitChildren(link);
    }

    @Override
    public void visit(Image image) {
      Path drawing = file.resolveSibling(image.getDestination());
      HtmlInline inline = new HtmlInline();
      try {
        String description = TextContentRenderer.builder().build().render(image.getFirstChild());
        inline.setLiteral(
            Files.readString(drawing)
                .replaceFirst(
                    "<svg ", "<svg role=\"img\" aria-label=\"" + Page.escape(description) + "\" "));
      } catch (IOException e) {
        throw new UncheckedIOException(drawing + " cannot be read", e);
      }
      image.insertAfter(inline);
      image.unlink();
    }
  }
}
