#include "privet/report/html.hpp"

#include <gtest/gtest.h>

#include "report/well_formed.hpp"

namespace privet::report {
namespace {

TEST(Html, EscapesTextAndAttributes) {
  EXPECT_EQ(escaped("<b>&\"'\x01"), "&lt;b&gt;&amp;&quot;&#39; ");
  EXPECT_EQ(element("p", {{"title", "a\"b"}}, text_of("<i>")).html, "<p title=\"a&quot;b\">&lt;i&gt;</p>\n");
}

TEST(Html, TablesHaveCaptionAndScopes) {
  const std::string html = table_of({.caption = "All of it",
                                     .header = {{"what"}, {"how much", true}},
                                     .rows = {{{.text = "one", .link = "there"}, {"1", true}},
                                              {{"two"}, {.text = "no", .is_warning = true}}}})
                               .html;
  for (const char* part : {"<caption>All of it</caption>", "<th scope=\"col\" class=\"number\">how much</th>",
                           "<th scope=\"row\" class=\"word\"><a href=\"#there\">one</a>",
                           "<td class=\"number\">1</td>", "<td class=\"warning\">no</td>"})
    EXPECT_NE(html.find(part), std::string::npos) << part << "\n" << html;
}

TEST(Html, AnEmptyListIsNothing) {
  EXPECT_EQ(list_of({}).html, "");
  EXPECT_EQ(list_of({"a"}).html, "<ul><li>a</li>\n</ul>\n");
}

// The checker of the page tests must find what it is there for.
TEST(Html, TheCheckerFindsFaults) {
  EXPECT_EQ(testing::page_fault("<p id=\"a\">x &amp; y</p><a href=\"#a\">z</a>"), "");
  for (const char* bad : {"<p><b></p></b>", "<p>", "</p>", "<p>a & b</p>", "<p title=\"a>b</p>",
                          "<a href=\"#x\">y</a>", "<i id=\"a\"></i><i id=\"a\"></i>", "<script></script>",
                          "<img src=\"x\"/>", "<a href=\"http://x\">y</a>"})
    EXPECT_NE(testing::page_fault(bad), "") << bad;
}

}  // namespace
}  // namespace privet::report
