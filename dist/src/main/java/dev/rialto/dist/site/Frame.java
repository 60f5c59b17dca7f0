package dev.rialto.dist.site;

import dev.rialto.text.Version;

/**
 * The surroundings of every page's content: the head, the table of contents, the foot.
 *
 * @param contents what can be navigated to
 */
record Frame(Contents contents) {

  String around(Page page, String name) {
    return """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>%s · Rialto</title>
    <link rel="stylesheet" href="%s">
    </head>
    <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header><a class="name" href="%s">Rialto</a> <span>%s</span>
    <a class="contents" href="#contents">Contents</a></header>
    <div class="columns">
    <main id="content">
    %s</main>
    <nav id="contents" aria-label="Contents">
    %s</nav>
    </div>
    <footer>Rialto %s, Apache License 2.0</footer>
    </body>
    </html>
    """
        .formatted(
            Page.escape(page.title()),
            Places.relative(name, "style.css"),
            Places.relative(name, "index.html"),
            Version.current(),
            page.body(),
            navigation(name),
            Version.current());
  }

  private String navigation(String name) {
    StringBuilder html = new StringBuilder();
    for (Contents.Section section : contents.sections()) {
      html.append("<h2>").append(Page.escape(section.title())).append("</h2>\n<ul>\n");
      for (Contents.Entry entry : section.entries()) {
        html.append(
            "<li><a href=\"%s\"%s>%s</a></li>%n"
                .formatted(
                    Places.relative(name, entry.page()),
                    entry.page().equals(name) ? " aria-current=\"page\"" : "",
                    Page.escape(entry.title())));
      }
      html.append("</ul>\n");
    }
    return html.toString();
  }
}
