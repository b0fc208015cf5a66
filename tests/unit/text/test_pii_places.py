"""E-mail addresses, addresses of machines and of houses, and what only looks like them."""

from __future__ import annotations

import pytest

from smartbrain.domain.pii import PiiKind
from smartbrain.text.pii import find_pii


def found(text: str) -> list[tuple[PiiKind, str]]:
    """Return what was found with its kind."""
    return [(span.kind, text[span.offset : span.end]) for span in find_pii(text)]


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "email"),
    [
        ("发到a.b@c.com吧", "a.b@c.com"),
        ("邮箱：li_wei@example.com.cn。", "li_wei@example.com.cn"),
        ("ann@example.com", "ann@example.com"),
        ("Write to Ann.Lee+news@mail.example.org.", "Ann.Lee+news@mail.example.org"),
        ("<ann@example.com>", "ann@example.com"),
        ("mailto:ann@example.com?subject=hi", "ann@example.com"),
        ("(ann-lee@ex-ample.co.uk)", "ann-lee@ex-ample.co.uk"),
        ("...ann@example.com", "ann@example.com"),
        ("a%b@example.io,", "a%b@example.io"),
        ("13812345678@example.com", "13812345678@example.com"),
        ("'ann@example.com'", "ann@example.com"),
        ("o'neil@example.com", "o'neil@example.com"),
        ("抄送zhang3@example.cn和我", "zhang3@example.cn"),
        ("x" * 64 + "@example.com", "x" * 64 + "@example.com"),
    ],
)
def test_an_email_address_is_found(text: str, email: str) -> None:
    """An address is found whole, also directly between Chinese characters."""
    assert [(PiiKind.EMAIL, email)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "@app.route",
        "ping @zhang 一下",
        "user@host",
        "a@b.c",
        "lodash@4.17.21",
        "icon@2x.png",
        "git@code.example:org/repo.git",
        "git@code.example.com:org/repo.git",
        "a @ b.com",
        "ann@@example.com",
        "ann@-example.com",
        "ann@.com",
        "ann.@example.com",
        "邮箱@example.com",
        "@example.com",
        "a@b_c",
    ],
)
def test_other_at_signs_are_no_email_address(text: str) -> None:
    """Decorators, mentions, versions of packages and repositories are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("192.168.1.20", "192.168.1.20"),
        ("服务器10.0.0.5挂了", "10.0.0.5"),
        ("http://203.0.113.7:8080/x", "203.0.113.7"),
        ("from 198.51.100.0/24", "198.51.100.0"),
        ("ssh root@203.0.113.7", "203.0.113.7"),
        ("ip=203.0.113.7.", "203.0.113.7"),
        ("登录IP：203.0.113.7，异常", "203.0.113.7"),
        ("８.８.８.８", "８.８.８.８"),
        ("2001:db8::1", "2001:db8::1"),
        ("地址2001:db8:0:0:0:0:2:1上线", "2001:db8:0:0:0:0:2:1"),
        ("http://[2001:DB8::8a2e:370:7334]:80/", "2001:DB8::8a2e:370:7334"),
        ("fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
        ("fd12:3456:789a::/48", "fd12:3456:789a::"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
    ],
)
def test_an_ip_address_is_found(text: str, address: str) -> None:
    """Addresses of both kinds are found without port and mask."""
    assert [(PiiKind.IP, address)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize("sign", ["-", ",", "、", " "])
def test_both_ends_of_a_range_are_found(sign: str) -> None:
    """Two addresses one after the other are two."""
    expected = [(PiiKind.IP, "10.0.0.1"), (PiiKind.IP, "10.0.0.9")]

    assert expected == found(f"10.0.0.1{sign}10.0.0.9")


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1",
        "0.0.0.0:80",
        "255.255.255.255",
        "mask 255.255.255.0",
        "::1",
        "[::]:8080",
        "v1.2.3.4",
        "version 1.2.3.4",
        "版本1.2.3.4",
        "版本号：1.2.3.4",
        "numpy==1.2.3.4",
        "app-1.2.3.4.tar.gz",
        "1.2.3.4-beta",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.02.03.04",
        "第1.2.3.4节",
        "/opt/app/1.2.3.4/bin",
        "12:30:45 and 2024:01:15:10:20:30",
        "std::vector, a::b, dead::beef and x[::2], y[2000::20]",
        "00:1a:2b:3c:4d:5e",
        "1:2:3:4:5:6:7:8",
        "2024::",
    ],
)
def test_other_dots_and_colons_are_no_ip_address(text: str) -> None:
    """Versions, times, slices and addresses that identify nobody are left alone."""
    assert [] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("我住在北京市海淀区中关村大街27号3单元201室。", "北京市海淀区中关村大街27号3单元201室"),
        ("寄到浙江省杭州市西湖区文三路100号", "浙江省杭州市西湖区文三路100号"),
        ("上海市徐汇区漕宝路1135弄12号301室", "上海市徐汇区漕宝路1135弄12号301室"),
        ("地址：南京东路300号", "南京东路300号"),
        ("黄浦区北京东路12号", "黄浦区北京东路12号"),
        ("我从北京搬到上海市淮海中路999号了", "上海市淮海中路999号"),
        ("广东省 深圳市 南山区 科技南路16号", "广东省 深圳市 南山区 科技南路16号"),
        ("公司在世纪大道１００号环球大厦88层", "世纪大道１００号环球大厦88层"),
        ("砖塔胡同二十一号", "砖塔胡同二十一号"),
        ("成都市人民南路四段27号院3栋", "成都市人民南路四段27号院3栋"),
        ("和平路8-2号", "和平路8-2号"),
        ("送到槐树巷5号 B座 1204室", "槐树巷5号 B座 1204室"),
        ("221B Baker Street", "221B Baker Street"),
        ("I live at 1600 Pennsylvania Ave NW, Washington", "1600 Pennsylvania Ave NW, Washington"),
        ("Send it to 350 5th Ave, Suite 120 please", "350 5th Ave, Suite 120"),
        ("寄到10 Downing Street吧", "10 Downing Street"),
        ("12-14 Old Mill Road", "12-14 Old Mill Road"),
        ("at 742 Evergreen Terrace.", "742 Evergreen Terrace."),
        ("1 Martin Luther King Blvd #4", "1 Martin Luther King Blvd #4"),
        ("99 St. John's Lane Apt 3b", "99 St. John's Lane Apt 3b"),
        ("我住在北京市朝阳区建国路88号3单元502", "北京市朝阳区建国路88号3单元502"),
        ("寄到建国路88号5号楼1203，谢谢", "建国路88号5号楼1203"),
        ("上海市浦东新区张江路88弄5号楼302", "上海市浦东新区张江路88弄5号楼302"),
        ("住在中山路5号楼2单元301室。", "中山路5号楼2单元301室"),
        ("在上海市中山路5号楼下等你", "上海市中山路5号"),
        ("建国路88号2栋3-502吧", "建国路88号2栋3-502"),
        ("建国路88号502", "建国路88号502"),
        ("建国路88号300元起", "建国路88号"),
        ("建国路88号3单元 2024年入住", "建国路88号3单元"),
        ("I live at 221B Baker Street, London", "221B Baker Street, London"),
        ("221B Baker Street, London NW1 6XE, UK.", "221B Baker Street, London NW1 6XE, UK"),
        (
            "Ship to 350 5th Ave, Suite 120, New York, NY 10118 please",
            "350 5th Ave, Suite 120, New York, NY 10118",
        ),
        ("At 12 Oak Street, London and Paris", "12 Oak Street, London"),
        ("寄到10 Downing Street, London吧", "10 Downing Street, London"),
        ("12 Oak Street, St. Louis. We moved", "12 Oak Street, St. Louis"),
        ("At 12 Oak Street, Tom fell", "12 Oak Street"),
        ("At 12 Oak Street, I fell", "12 Oak Street"),
        ("Meet at 12 Oak Street, Monday", "12 Oak Street"),
        ("At 12 Oak Street, Mary Ann sleeps", "12 Oak Street"),
    ],
)
def test_an_address_is_found(text: str, address: str) -> None:
    """A road with a number is found, with the places before it, the rooms and the city after."""
    assert [(PiiKind.ADDRESS, address)] == found(text)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "text",
    [
        "我知道12号开会",
        "这条路12号封闭",
        "在人民路下车",
        "地铁人民路3号线",
        "频道3号",
        "12号下午去逛街",
        "高速公路12号封闭",
        "相同12号",
        "南京路很热闹",
        "第3号文件",
        "In 2008 Wall Street collapsed",
        "since January 2020 Main Street is closed",
        "I have 3 Google Drive accounts",
        "12 Supreme Court justices",
        "Chapter 5 Long Road",
        "5 ways to drive",
        "Baker Street",
        "221B baker street",
        "after 5 Days Dr. Smith left",
        "$12 Main Street",
        "3 big dogs crossed the Street",
        "12 Oak",
    ],
)
def test_other_roads_and_numbers_are_no_address(text: str) -> None:
    """Days, lines, years and roads without a number are left alone."""
    assert [] == found(text)
